import { setImmediate } from "node:timers/promises";
import { RoleOfRun } from "../../../provider/resources/role-group-assignment/roles-of-run";

const ADD = {};
const REMOVE = {};

/** A role whose turns are recorded, and last until they are ended. */
function recordedRole() {
  const role = new RoleOfRun();
  const turns: string[] = [];
  const ends: (() => void)[] = [];
  const lasting = async (turn: string) => {
    turns.push(turn);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  return {
    turns,
    share: (kind: object, change: string) =>
      role.inSharedTurn<string, string>(kind, change, async (changes) => {
        await lasting(changes.join(" "));
        return changes;
      }),
    alone: (change: string) => role.inTurn(() => lasting(change)),
    end: async () => {
      ends.shift()?.();
      await aWhile();
    },
  };
}

/** More than one turn of the event loop. */
async function aWhile(): Promise<void> {
  for (let i = 0; i < 3; i++) await setImmediate();
}

test("a change that comes alone waits for one turn of the event loop", async () => {
  const { turns, share } = recordedRole();
  void share(ADD, "a");
  await Promise.resolve();
  expect(turns).toEqual([]);
  await setImmediate();
  await setImmediate();
  expect(turns).toEqual(["a"]);
});

test("changes that come at once share a turn; those that come during it share the next", async () => {
  const { turns, share, end } = recordedRole();
  const first = [share(ADD, "a"), share(ADD, "b")];
  await aWhile();
  const second = [share(ADD, "c"), share(ADD, "d")];
  await aWhile();
  expect(turns).toEqual(["a b"]);
  void share(ADD, "e");
  await end();
  await Promise.all(first);
  expect(turns).toEqual(["a b", "c d e"]);
  await end();
  expect(await Promise.all(second)).toEqual(["c", "d"]);
});

test.each(["another kind", "a change that shares nothing"])("none overtakes %s", async (what) => {
  const { turns, share, alone, end } = recordedRole();
  void share(ADD, "a");
  await aWhile();
  void share(ADD, "b");
  void (what === "another kind" ? share(REMOVE, "c") : alone("c"));
  void share(ADD, "d");
  void share(ADD, "e");
  for (let i = 0; i < 4; i++) await end();
  expect(turns).toEqual(["a", "b", "c", "d e"]);
});

test("a turn that fails fails those that share it, and no other", async () => {
  const role = new RoleOfRun();
  const failing = () => Promise.reject(new Error("a defect"));
  const shared = [role.inSharedTurn(ADD, "a", failing), role.inSharedTurn(ADD, "b", failing)];
  await expect(shared[0]).rejects.toThrow("a defect");
  await expect(shared[1]).rejects.toThrow("a defect");
  expect(await role.inSharedTurn(ADD, "c", (changes) => Promise.resolve(changes))).toBe("c");
});
