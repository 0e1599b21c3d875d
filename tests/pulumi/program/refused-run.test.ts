import { InvalidInputError } from "../../../provider";
import { refuseRun } from "../../../provider/pulumi/program/program-run";

test("the message stays as it is, whatever the SDK puts before it", () => {
  const error = refuseRun(new InvalidInputError("Let one of them own it."));
  error.message = `error serializing property "__listedElsewhere": ${error.message}`;
  expect(error.message).toBe("Let one of them own it.");
  expect(error).toBeInstanceOf(InvalidInputError);
});
