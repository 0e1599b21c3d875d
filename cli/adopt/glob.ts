/**
 * Whether a whole name matches a pattern, in which `*` stands for any characters and `?` for one. Case matters. The time
 * grows with the product of the lengths at most, whatever the pattern.
 */
export function matches(pattern: string, name: string): boolean {
  const [marks, characters] = [Array.from(pattern), Array.from(name)];
  let [mark, place] = [0, 0];
  // Where to go on when the characters after the last star turn out not to match.
  let star: { mark: number; place: number } | undefined;
  while (place < characters.length) {
    if (marks[mark] === "*") {
      star = { mark: ++mark, place };
    } else if (mark < marks.length && (marks[mark] === "?" || marks[mark] === characters[place])) {
      mark++;
      place++;
    } else if (star !== undefined) {
      star.place++;
      ({ mark, place } = star);
    } else {
      return false;
    }
  }
  return marks.slice(mark).every((rest) => rest === "*");
}
