import {
  ApiError,
  ConfigurationError,
  InsufficientScopeError,
  InvalidInputError,
  UnexpectedAnswerError,
} from "./errors";

/** Why a read failed, in a few words, for lines that say what could not be asked. */
export function shortReason(error: unknown): string {
  if (error instanceof InsufficientScopeError) return `needs ${error.scopes.join(" or ")}`;
  if (error instanceof ApiError) return String(error.status);
  if (error instanceof ConfigurationError) return "the connection is not configured";
  if (error instanceof InvalidInputError) return "not an id of the service";
  if (error instanceof UnexpectedAnswerError) return "an unexpected answer";
  return "no answer";
}

/** Whether a failure concerns one question only: then the next one may well be answered. */
export function concernsOneQuestion(error: unknown): boolean {
  if (error instanceof InvalidInputError) return true;
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}
