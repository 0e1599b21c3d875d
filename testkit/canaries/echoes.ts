import { type Fault } from "../../simulator";

/** An answer that repeats a text to its sender. */
export type Echo = (text: string) => Fault["action"];

const apiError = (status: number) => ({ statusCode: status, error: "Error" });
/** Header values are Latin-1, without line breaks. */
const headerSafe = (text: string) => text.replace(/[^\x20-\x7e]/g, "");

/** Every place of an answer of the API that a message may quote. */
export const API_ECHOES: Record<string, Echo> = {
  "the message of a 400": (text) => ({
    status: 400,
    body: { ...apiError(400), message: `Bad ${text} given` },
  }),
  "the code of a 403": (text) => ({
    status: 403,
    body: { ...apiError(403), message: "No.", errorCode: text },
  }),
  "the scopes of a 403": (text) => ({
    status: 403,
    body: {
      ...apiError(403),
      message: `Insufficient scope, expected any of: ${text}`,
      errorCode: "insufficient_scope",
    },
  }),
  "the message of a 401": (text) => ({
    status: 401,
    body: { ...apiError(401), message: `Invalid token ${text}` },
  }),
  "the message of a 500": (text) => ({ status: 500, body: { ...apiError(500), message: text } }),
  "the request id": (text) => ({
    status: 409,
    headers: { "x-request-id": headerSafe(text), "x-auth0-requestid": headerSafe(text) },
    body: { ...apiError(409), message: "Conflict" },
  }),
  HTML: (text) => ({
    status: 403,
    headers: { "content-type": "text/html" },
    body: `<h1>Forbidden</h1><p>${text}</p>`,
  }),
  "the target of a redirect": (text) => ({
    redirect: `https://elsewhere.example/?token=${encodeURIComponent(text)}`,
  }),
  "the host of a redirect": (text) => ({
    redirect: `https://${text.replace(/[^a-zA-Z0-9]/g, "-")}.example/`,
  }),
  "keys and values of an answer of another shape": (text) => ({
    status: 200,
    body: {
      id: 7,
      [text]: text,
      name: [text],
      strategy_overrides: { [text]: 7 },
      groups: [{ [text]: text }],
      connection_profiles: [{ [text]: text }],
    },
  }),
  "a broken JSON": (text) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: `{"id": "${text}`,
  }),
};

/** The same of the token endpoint. */
export const TOKEN_ECHOES: Record<string, Echo> = {
  "the description of the error": (text) => ({
    status: 401,
    body: { error: "access_denied", error_description: `Not ${text}` },
  }),
  "the error": (text) => ({ status: 403, body: { error: text } }),
  HTML: (text) => ({ status: 403, headers: { "content-type": "text/html" }, body: `<p>${text}</p>` }),
  "the target of a redirect": (text) => ({
    redirect: `https://elsewhere.example/?secret=${encodeURIComponent(text)}`,
  }),
  "an answer of another shape": (text) => ({ status: 200, body: { access_token: [text], [text]: text } }),
  "a token that is none": (text) => ({
    status: 200,
    body: { access_token: `${text} and more`, token_type: "Bearer", expires_in: 60 },
  }),
};
