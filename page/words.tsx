import { placeText } from "../provider/sentence";
import { type NamesById, SIGN, SIGNS, type Words as AllWords } from "./view";

/** A sentence with names in place of ids; the ids are shown on demand. */
export function Words({ words, names }: { words: AllWords; names: NamesById }) {
  return (
    <>
      {words.map((part, index) => {
        if (typeof part === "string") return <OwnWords key={index} text={part} />;
        if ("place" in part) return `(${placeText(part.place)})`;
        if ("value" in part) return isNameOf(words.slice(index + 1), part.value, names) ? "" : part.value;
        const name = names.get(part.id);
        if (name === undefined) return <code key={index}>{part.id}</code>;
        return (
          <span key={index}>
            <b>{name}</b>
            <code class="id"> {part.id}</code>
          </span>
        );
      })}
    </>
  );
}

export function WordsList({ all, names, of }: { all: readonly AllWords[]; names: NamesById; of?: string }) {
  return (
    <ul class={of}>
      {all.map((words, index) => (
        <li key={index}>
          <Words words={words} names={names} />
        </li>
      ))}
    </ul>
  );
}

const CODE_OR_SIGN = new RegExp(`(\`[^\`]+\`|${SIGN})`, "u");

function OwnWords({ text }: { text: string }) {
  return text.split(CODE_OR_SIGN).map((part, index) => {
    const sign = SIGNS.get(part);
    if (sign !== undefined)
      return (
        <i key={index} class={`says-${sign.kind}`}>
          {sign.text}
        </i>
      );
    return index % 2 === 1 ? <code key={index}>{part.slice(1, -1)}</code> : part;
  });
}

/** True for a name before its id, which is shown with its name. */
function isNameOf([blank, next]: AllWords, name: string, names: NamesById): boolean {
  return blank === " " && typeof next === "object" && "id" in next && names.get(next.id) === name;
}
