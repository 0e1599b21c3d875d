export { type Answer } from "./messages";
export { type Choices, describeChoices, drawChoices, OPEN } from "./choices";
export {
  type DocumentTenant,
  type Fault,
  type LoggedRequest,
  startDocumentTenant,
  type TenantState,
} from "./tenant";
