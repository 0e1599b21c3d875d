import { SCOPED, type ScopedOperation, SCOPES } from "../provider/service/scopes";

/** A row an operation of a resource or a data source, with the scopes that it needs. */
export const SCOPED_OPERATIONS = SCOPED.flatMap((subject) =>
  SCOPES[subject].map(({ does, scopes }: ScopedOperation) => ({
    subject,
    title: `${subject}: ${does}`,
    scopes,
  })),
);
