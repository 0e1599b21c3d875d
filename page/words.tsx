/** Ids of the service, which a text may have in place of names. */
const IDS = /\b([a-z]{3}_[A-Za-z0-9]{8,})\b/;

/** A text with names in place of ids; the ids are shown on demand. */
export function Words({ text, names }: { text: string; names: ReadonlyMap<string, string> }) {
  const parts = text.split(IDS);
  if (parts.length === 1) return <>{text}</>;
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return withoutName(part, names.get(parts[index + 1] ?? ""));
        const name = names.get(part);
        if (name === undefined) return <code key={index}>{part}</code>;
        return (
          <span key={index}>
            <b>{name}</b>
            <code class="id"> {part}</code>
          </span>
        );
      })}
    </>
  );
}

/** The text before an id may end in its name already. */
function withoutName(text: string, name: string | undefined): string {
  return name !== undefined && text.endsWith(`${name} `) ? text.slice(0, -name.length - 1) : text;
}
