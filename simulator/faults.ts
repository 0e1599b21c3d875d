import { z } from "zod";
import { parseInput } from "./input";
import { type Fault, type FaultAction } from "./types";

export { type Fault, type FaultAction };

const headersSchema = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe("A header with several values is sent several times.");

const actionSchema = z.union(
  [
    z
      .strictObject({
        status: z.number().int().min(200).max(599),
        headers: headersSchema.optional(),
        body: z
          .unknown()
          .optional()
          .describe("JSON value, or a text sent as it is. Default: an error of the service."),
        processed: z
          .boolean()
          .optional()
          .describe("true: the request takes effect, only its answer is replaced. Default false."),
        part: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe("The request takes effect for so many of the groups in its body. Default: for none."),
      })
      .describe("Answer this status."),
    z
      .strictObject({ drop: z.enum(["before", "after", "answering"]) })
      .describe(
        "Reset the connection: before the request took effect, after that, or in the middle of the answer.",
      ),
    z
      .strictObject({ late: z.number().min(0) })
      .describe("Reset the connection at once; the request takes effect after this many milliseconds."),
    z
      .strictObject({ hang: z.enum(["before", "after"]) })
      .describe("Never answer, and keep the connection open; the request takes no effect, or does."),
    z
      .strictObject({ refuse: z.number().min(0) })
      .describe("Process and answer the request; then refuse connections for this many milliseconds."),
    z
      .strictObject({ drip: z.number().min(1) })
      .describe("Process the request, and send the body byte by byte, one in so many milliseconds."),
    z
      .strictObject({ endless: z.literal(true) })
      .describe("Process the request, and answer it with a body that never ends."),
    z
      .strictObject({
        raw: z.string().min(1),
        processed: z
          .boolean()
          .optional()
          .describe("True: the request takes effect all the same. Default false."),
      })
      .describe("Write this text in place of an answer, and close the connection."),
    z
      .strictObject({ alter: z.record(z.string().startsWith("/"), z.unknown()) })
      .describe(
        'Process the request, and put other values into its JSON answer: {"/connection_profiles/0/id": 7}.',
      ),
    z
      .strictObject({ headers: headersSchema })
      .describe("Process and answer the request, with these headers in place of the usual ones."),
    z
      .strictObject({ delay: z.number().min(0) })
      .describe("Process the request, and hold its answer back for this many milliseconds."),
    z
      .strictObject({ garbage: z.enum(["invalid-json", "wrong-shape", "html"]) })
      .describe("Process the request, and answer it with its own status but a body nobody can use."),
    z
      .strictObject({ redirect: z.string().min(1), status: z.number().int().min(300).max(399).optional() })
      .describe("Send the client elsewhere without processing the request. Default status 302."),
  ],
  {
    error:
      'An action is one of {"status": 503}, {"drop": "before"}, {"late": 100}, {"hang": "after"}, {"refuse": 100}, {"delay": 100}, {"drip": 10}, {"endless": true}, {"garbage": "html"}, {"alter": {"/id": 7}}, {"headers": {"x": "y"}}, {"raw": "no HTTP"} and {"redirect": "/elsewhere"}.',
  },
);

/** One planned fault. */
export const faultSchema = z.strictObject({
  method: z.string().optional().describe("HTTP method. Default: any."),
  path: z
    .string()
    .optional()
    .describe(
      "Path as it is sent, where * stands for any characters; the query counts only if the pattern contains a ?. Default: any path, the token endpoint's too.",
    ),
  after: z.number().int().min(0).optional().describe("Matching requests to let pass first. Default 0."),
  times: z.number().int().min(1).optional().describe("Requests to hit. Default 1."),
  action: actionSchema,
}) satisfies z.ZodType<unknown, Fault>;

interface Planned {
  fault: Fault;
  skipped: number;
  fired: number;
}

/** The planned faults, in the order they were given. */
export class FaultPlan {
  #planned: Planned[] = [];

  add(faults: readonly Fault[]): void {
    this.#planned.push(
      ...faults.map((fault) => ({
        fault: parseInput("The fault", faultSchema, fault),
        skipped: 0,
        fired: 0,
      })),
    );
  }

  clear(): void {
    this.#planned = [];
  }

  /**
   * Returns the action for this request: from the first fault whose turn it is. Every matching fault counts
   * the request.
   */
  next(method: string, target: string): FaultAction | undefined {
    let action: FaultAction | undefined;
    for (const planned of this.#planned) {
      const { fault } = planned;
      if (!matches(fault, method, target)) continue;
      if (planned.skipped < (fault.after ?? 0)) {
        planned.skipped += 1;
      } else if (action === undefined && planned.fired < (fault.times ?? 1)) {
        planned.fired += 1;
        action = fault.action;
      }
    }
    return action;
  }
}

function matches(fault: Fault, method: string, target: string): boolean {
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
  if (fault.path === undefined) return true;
  const subject = fault.path.includes("?") ? target : target.split("?", 1)[0]!;
  const pattern = fault.path
    .split("*")
    .map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`, "s").test(subject);
}
