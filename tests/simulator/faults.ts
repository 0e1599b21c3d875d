import { z } from "zod";

const actionSchema = z.union(
  [
    z
      .strictObject({
        status: z.number().int().min(200).max(599),
        headers: z
          .record(z.string(), z.union([z.string(), z.array(z.string())]))
          .optional()
          .describe("A header with several values is sent several times."),
        body: z
          .unknown()
          .optional()
          .describe("JSON value, or a text sent as it is. Default: an error of the service."),
        processed: z
          .boolean()
          .optional()
          .describe("true: the request takes effect, only its answer is replaced. Default false."),
      })
      .describe("Answer this status."),
    z
      .strictObject({ drop: z.enum(["before", "after"]) })
      .describe("Close the connection without an answer, before or after the request took effect."),
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
      'An action is one of {"status": 503}, {"drop": "before"}, {"drop": "after"}, {"delay": 100}, {"garbage": "html"} and {"redirect": "/elsewhere"}.',
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
});

/** One planned fault, as it is given. */
export type Fault = z.input<typeof faultSchema>;
/** What happens to a request that a fault hits. */
export type FaultAction = Fault["action"];

interface Planned {
  fault: Fault;
  skipped: number;
  fired: number;
}

/** The faults that are planned, in the order they were given. */
export class FaultPlan {
  #planned: Planned[] = [];

  add(faults: readonly Fault[]): void {
    this.#planned.push(...faults.map((fault) => ({ fault: faultSchema.parse(fault), skipped: 0, fired: 0 })));
  }

  clear(): void {
    this.#planned = [];
  }

  /** The action for this request: that of the first fault whose turn it is. Every matching fault counts the request. */
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
