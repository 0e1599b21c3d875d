export { type Answer } from "./documented";
export { type Choices, describeChoices, drawChoices, OPEN } from "./choices";
export {
  type DocumentTenant,
  type Fault,
  type LoggedRequest,
  startDocumentTenant,
  type TenantState,
} from "./tenant";
