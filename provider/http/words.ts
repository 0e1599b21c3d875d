import { type ErrorAnswer } from "./errors";
import { isObject, type JsonObject, parseJson } from "./shape";

/*
 * What the JSON of an answer says, in whatever form: the source document shows no body of an error (section
 * 7), nor of most successes (section 4).
 */

interface ErrorWords {
  said: Pick<ErrorAnswer, "code" | "message">;
  /** True for `{statusCode: its own, message}`. */
  isUsual: boolean;
}

/** True for what a success may bring where nothing is promised: no body, or JSON that tells no error. */
export function tellsNoError(body: string): boolean {
  if (body.trim() === "") return true;
  const json = parseJson(body);
  if (!isObject(json)) return json !== undefined && json !== false;
  const { error, errors, error_description: described, success, ok, status } = json;
  const isFailure =
    success === false || ok === false || error === true || /^(error|fail)/i.test(String(status));
  const says = [error, errors, described].some((value) => wordsIn(value) !== undefined);
  return !isFailure && !says && !ownStatuses(json).some((own) => own >= 400);
}

/** Reads an error answer; undefined unless it's a JSON object that has no other status of its own. */
export function readWords(body: string, status: number): ErrorWords | undefined {
  const json = parseJson(body);
  if (!isObject(json) || ownStatuses(json).some((own) => own !== status)) return undefined;
  const { statusCode, message, errorCode, code, error } = json;
  const isUsual = statusCode === status && typeof message === "string";
  // In OAuth's form, `error` is the code; elsewhere it's often the name of the status.
  const codes = isUsual ? [errorCode] : [errorCode, code, "error_description" in json ? error : undefined];
  const name = codes.find((one) => typeof one === "string");
  const words = isUsual ? message : wordsIn(json);
  return {
    isUsual,
    said: { ...(words !== undefined && { message: words }), ...(name !== undefined && { code: name }) },
  };
}

/** True for the page of a gateway that wants a client certificate, such as nginx. */
export function asksForCertificate(body: string): boolean {
  return /\b(SSL|TLS|client) certificate\b/i.test(body);
}

function ownStatuses({ statusCode, status }: JsonObject): number[] {
  return [statusCode, status].filter((one) => typeof one === "number");
}

const SAYING = ["message", "error_description", "detail", "title", "description", "error", "errors"] as const;

/** The first text for people in a value, where errors usually have theirs. */
function wordsIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth > 3) return undefined;
  if (Array.isArray(value)) return wordsIn(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  return SAYING.map((key) => wordsIn(value[key], depth + 1)).find((words) => words !== undefined);
}
