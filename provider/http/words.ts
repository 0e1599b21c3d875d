import { type ErrorAnswer } from "./errors";
import { isObject, type JsonObject, parseJson } from "./shape";

/*
 * What the JSON of an answer says, in whatever form: the source document shows no body of an error (section
 * 7), nor of most successes (section 4).
 */

/** The service's words in an error answer, as far as they can be read. */
export type Words = Pick<ErrorAnswer, "code" | "message">;

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

/**
 * Reads an error answer; undefined if it can't be the service's. It's usual as `{statusCode: its own,
 * message}`, and unusual as any other JSON object that gives no other status as its own.
 */
export function readWords(body: string, status: number): (Words & { isUsual: boolean }) | undefined {
  const json = parseJson(body);
  if (!isObject(json) || ownStatuses(json).some((own) => own !== status)) return undefined;
  const { statusCode, message, errorCode, code, error } = json;
  const isUsual = statusCode === status && typeof message === "string";
  // In OAuth's form, `error` is the code; elsewhere it's often the name of the status.
  const codes = isUsual ? [errorCode] : [errorCode, code, "error_description" in json ? error : undefined];
  const said = isUsual ? message : wordsIn(json);
  const name = codes.find((one) => typeof one === "string");
  return {
    isUsual,
    ...(said !== undefined && { message: said }),
    ...(name !== undefined && { code: name }),
  };
}

function ownStatuses({ statusCode, status }: JsonObject): number[] {
  return [statusCode, status].filter((one) => typeof one === "number");
}

const SAYING = ["message", "error_description", "detail", "title", "description", "error", "errors"];

/** The first text for people in a value, where errors usually have theirs. */
function wordsIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth > 3) return undefined;
  if (Array.isArray(value)) return wordsIn(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  return SAYING.map((key) => wordsIn(value[key], depth + 1)).find((words) => words !== undefined);
}
