export { type Answer } from "./messages";
export { type Choices, describeChoices, drawChoices, OPEN } from "./choices";
export { type DocumentTenant, type Fault, startDocumentTenant, type TenantState } from "./tenant";
