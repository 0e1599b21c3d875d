import { type FastifyInstance } from "fastify";
import { z } from "zod";
import { faultSchema } from "./faults";
import { problemsIn } from "./input";
import { type Simulator } from "./types";
import { seedOrStateSchema, seedSchema } from "./seed";

/** The path that controls the simulator itself; no token, no rate limit, no log. */
export const CONTROL_PATH = "/_simulator";

const faultsBody = z.array(faultSchema);

/** Every control path except the description itself. */
const paths = {
  "GET /_simulator": "This description.",
  "GET /_simulator/requests":
    "The log: [{method, path, status, at}], token requests too. status 0: there was no whole answer; at: epoch milliseconds.",
  "POST /_simulator/reset":
    "Empties the log and forgets planned faults. Records, tokens and the bucket stay.",
  "POST /_simulator/faults": "Plans one fault, or an array of faults (see `fault`).",
  "POST /_simulator/seed":
    "Replaces all records by the given ones (see `seed`), or by those of a state; what is left out becomes empty, except `clients`.",
  "GET /_simulator/state": "All records as they are, and the access tokens that were handed out.",
};

/** Adds the control paths. */
export function addControlRoutes(app: FastifyInstance, simulator: Simulator): void {
  app.get(CONTROL_PATH, () => ({
    paths,
    fault: z.toJSONSchema(faultSchema, { io: "input" }),
    seed: z.toJSONSchema(seedSchema, { io: "input" }),
  }));
  app.get(`${CONTROL_PATH}/requests`, () => simulator.requests());
  app.get(`${CONTROL_PATH}/state`, () => simulator.state());
  app.post(`${CONTROL_PATH}/reset`, (_request, reply) => {
    simulator.reset();
    return reply.code(204).send();
  });
  app.post(`${CONTROL_PATH}/faults`, (request, reply) => {
    const result = faultsBody.safeParse([request.body].flat());
    if (!result.success) return reply.code(400).send(problems("faults", result.error));
    simulator.fail(...result.data);
    return reply.code(204).send();
  });
  app.post(`${CONTROL_PATH}/seed`, (request, reply) => {
    const result = seedOrStateSchema.safeParse(request.body);
    if (!result.success) return reply.code(400).send(problems("seed", result.error));
    simulator.seed(result.data);
    return reply.code(204).send();
  });
}

function problems(what: string, error: z.ZodError): object {
  return {
    statusCode: 400,
    error: "Bad Request",
    message: `The ${what} can't be used:\n${problemsIn(error)}`,
    problems: error.issues.map(({ path, message }) => ({ path: path.join("."), message })),
  };
}
