import { IncompleteListError } from "../../provider/http/errors";

/** The service answers 404 for a list of something that it lists itself: that is no empty list. */
export class DeniedListError extends IncompleteListError {
  /** `list`: `GET /roles/rol_…/groups`; `what`: `role`. */
  constructor(list: string, what: string) {
    super(
      list,
      `it answered 404, and the tenant lists the ${what}`,
      [],
      "Check that the credentials are this tenant's, and that the client may read this list. Then run this again.",
    );
  }
}
