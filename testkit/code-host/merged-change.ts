import { type Change } from "./repository";
import { StandIn } from ".";

/** The commit that merged the change. */
export const MERGE = "f".repeat(40);

/** Opens a code host with a merged change before each test. Read both from it in tests only. */
export function useMergedChange(): { standIn: StandIn; change: Change } {
  const here = {} as ReturnType<typeof useMergedChange>;
  beforeEach(async () => {
    here.standIn = new StandIn();
    await here.standIn.open();
    here.change = here.standIn.repository.addChange(7);
    here.standIn.repository.merge(here.change, MERGE);
  });
  afterEach(() => here.standIn.close());
  return here;
}
