import { useLayoutEffect, useRef } from "preact/hooks";
import { capitalized, grouped } from "../provider/sentence";
import { type Cell, countOf, MARKS, type Permission, type CellSource, STATUSES, type View } from "./view";
import { Words } from "./words";

/** A cell in full. */
export function Panel({ view, open, close }: { view: View; open: number | undefined; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cell = open === undefined ? undefined : view.cells[open];
  useLayoutEffect(() => {
    if (cell !== undefined && dialog.current?.open === false) dialog.current.showModal();
  }, [cell]);
  return (
    <dialog
      ref={dialog}
      class="panel"
      aria-labelledby="panel-title"
      onClose={close}
      onClick={({ target }) => {
        // The dialog itself is hit only beside its content.
        if (target === dialog.current) dialog.current?.close();
      }}
    >
      {cell !== undefined && <Content view={view} cell={cell} onClose={() => dialog.current?.close()} />}
    </dialog>
  );
}

function Content({ view, cell, onClose }: { view: View; cell: Cell; onClose: () => void }) {
  const { status, marks, why, sources, remarks } = cell;
  const row = view.rows[cell.row];
  const column = view.columns[cell.column];
  if (row === undefined || column === undefined) return null;
  return (
    <div class="inside">
      <header>
        <div>
          <p class="kinds">
            <span class={`chip k-${status}`}>
              <i class="sign" />
              {STATUSES[status].word}
            </span>
            {marks.map((mark) => (
              <span key={mark} class={`chip k-${mark}`}>
                <i class="sign" />
                {MARKS[mark].word}
              </span>
            ))}
          </p>
          <h2 id="panel-title">
            {column.name} <span class="arrow">→</span> {row.name}
            {row.organization !== undefined && <span class="soft"> in {row.organization.name}</span>}
          </h2>
        </div>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <p>
        <Words words={why} names={view.names} />
      </p>
      {remarks.map(({ kind, words }, index) => (
        <p key={index} class={`remark ${kind}`}>
          <Words words={words} names={view.names} />
        </p>
      ))}
      {sources.length > 0 && <h3>{status === "unknown" ? "May come from" : "Through"}</h3>}
      {sources.map((source, index) => (
        <SourceCard key={index} source={source} />
      ))}
      <PermissionList permissions={row.permissions} />
      {column.key !== "secret" && <PeopleList cell={cell} view={view} />}
      <h3>Ids</h3>
      <dl class="pairs">
        <dt>Role</dt>
        <dd>
          <code>{row.id}</code>
          {row.note !== undefined && ` ${row.note}`}
        </dd>
        {row.organization !== undefined && (
          <>
            <dt>Organization</dt>
            <dd>
              <code>{row.organization.id}</code>
            </dd>
          </>
        )}
        {column.id !== "" && (
          <>
            <dt>Group</dt>
            <dd>
              <code>{column.id}</code>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

function PeopleList({ cell: { people, who }, view }: { cell: Cell; view: View }) {
  const { ids = [] } = people ?? {};
  return (
    <>
      <h3>People</h3>
      {people === undefined ? (
        <p class="soft">Not known, or not asked: --people.</p>
      ) : (
        <p>
          <Words words={who ?? [countOf(people)]} names={view.names} />
        </p>
      )}
      {ids.length > 0 && (
        <ul class="people" tabIndex={0} aria-label="People">
          {ids.map((id) => (
            <li key={id}>
              <code>{id}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function SourceCard({ source }: { source: CellSource }) {
  const { resource, stack, line, until, isWritten, notes } = source;
  return (
    <div class="source">
      <p class="head">
        <b>{resource}</b>
        {stack !== undefined && <span> in {stack}</span>}
      </p>
      {line && (
        <p class="line">
          <code>
            {line.file}:{line.line}
          </code>
        </p>
      )}
      {until !== undefined && <p>{capitalized(until)}</p>}
      {notes.map((note) => (
        <p key={note}>{capitalized(note)}</p>
      ))}
      {line && isWritten && (
        <p class="soft">
          Who wrote it, and when:{" "}
          <code>
            git log -L {line.line},{line.line}:{line.file}
          </code>
        </p>
      )}
    </div>
  );
}

function PermissionList({ permissions }: { permissions: readonly Permission[] | null | undefined }) {
  const servers = [...new Set((permissions ?? []).map(({ resourceServer }) => resourceServer))];
  return (
    <>
      <h3>
        What the role allows
        {permissions && permissions.length > 0 && <span class="number">{grouped(permissions.length)}</span>}
      </h3>
      {permissions === undefined && <p class="soft">Not asked: --permissions.</p>}
      {permissions === null && <p class="soft">Not known: the tenant didn't say.</p>}
      {permissions?.length === 0 && <p class="soft">Nothing.</p>}
      {servers.map((server) => (
        <div key={server} class="server">
          <p class="soft">{server}</p>
          <ul class="permissions">
            {(permissions ?? [])
              .filter(({ resourceServer }) => resourceServer === server)
              .map(({ name }) => (
                <li key={name}>
                  <code>{name}</code>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}
