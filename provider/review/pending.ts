import { type KindName, KINDS } from "../kinds";
import { type Place, placed, say, type Sentence, word } from "../sentence";

interface Pending {
  kind: KindName;
  name: string;
  line?: Place | null | undefined;
}

/** `the connection profile p may be on the tenant already: the run that created it was killed, …` */
export function pendingSentence({ kind, name, line }: Pending): Sentence {
  const what = say`the ${word(KINDS[kind].noun)} ${placed(name, line)}`;
  return say`${what} may be on the tenant already: the run that created it was killed, and the next \`pulumi up\` creates it again`;
}

export const PENDING_ADVICE =
  "Look on the tenant. If it's there, adopt it or delete it by hand. Then run `pulumi refresh --clear-pending-creates`.";
