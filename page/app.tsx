import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, grouped } from "../provider/sentence";
import { Board, hasModifier } from "./board";
import {
  type Filter,
  Filters,
  isFiltered,
  NO_FILTER,
  type Visibility,
  type Sort,
  sorted,
  SORTS,
  TENANT,
} from "./filter";
import { Matrix } from "./matrix";
import { Panel } from "./panel";
import { SectionCard } from "./section";
import {
  type CellKind,
  CELL_KINDS,
  type NamesById,
  type PageSection,
  type Tile,
  type View,
  type Words as AllWords,
} from "./view";
import { Words, WordsList } from "./words";

type Layout = "matrix" | "list";

export function App({ view }: { view: View }) {
  const [filter, setFilter] = useState(NO_FILTER);
  const [sort, setSort] = useState<Sort>("name");
  const [hasIds, setHasIds] = useState(false);
  const [layout, setLayout] = useState<Layout>(isNarrow() ? "list" : "matrix");
  const [open, setOpen] = useState<number | undefined>();
  const table = useRef<HTMLTableElement>(null);
  const board = useRef<Board | undefined>(undefined);
  const search = useRef<HTMLInputElement>(null);
  const matrixPart = useRef<HTMLElement>(null);
  const filters = useMemo(() => new Filters(view), [view]);
  const shown = useMemo(() => filters.shown(filter), [filters, filter]);

  // Before the next frame.
  useLayoutEffect(() => {
    if (table.current !== null) board.current = new Board(table.current, view);
  }, [view]);
  useLayoutEffect(() => board.current?.show(shown), [shown]);
  useLayoutEffect(
    () => board.current?.order(sorted(view, "row", sort), sorted(view, "column", sort)),
    [view, sort],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, select, dialog") !== null;
      if (event.key !== "/" || isTyping || hasModifier(event)) return;
      event.preventDefault();
      search.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  const isPrinting = usePrinting();
  const change = (part: Partial<Filter>) => setFilter((before) => ({ ...before, ...part }));
  const sections = (all: readonly PageSection[]) =>
    all.map((section) => <SectionCard key={section.id} section={section} view={view} onOpen={setOpen} />);
  return (
    <div class={[hasIds ? "ids" : "", isPrinting ? "list" : layout].join(" ").trim()}>
      <header class="top">
        {view.heads.map(({ title, remarks }, index) => (
          <div key={index}>
            <h1>
              <Words words={title} names={view.names} />
            </h1>
            <Remarks remarks={remarks} names={view.names} />
          </div>
        ))}
        <Remarks remarks={view.remarks.map((remark) => [remark])} names={view.names} />
      </header>
      {view.gaps.length > 0 && (
        <section class="card gaps" aria-label="Not complete">
          <h2>Not complete</h2>
          <WordsList all={view.gaps} names={view.names} />
        </section>
      )}
      <Tiles
        tiles={view.tiles}
        view={view}
        chosen={filter.kinds}
        onChoose={(kinds) => {
          change({ kinds });
          matrixPart.current?.scrollIntoView({ block: "nearest" });
        }}
      />
      {sections(view.before)}
      {view.cells.length === 0 ? (
        <p class="card empty">{view.empty}</p>
      ) : (
        <section class="matrix-part" aria-label="Who has which role" ref={matrixPart}>
          <Toolbar
            view={view}
            filter={filter}
            change={change}
            search={search}
            sort={sort}
            setSort={setSort}
            hasIds={hasIds}
            setHasIds={setHasIds}
            layout={layout}
            setLayout={setLayout}
          />
          <Found view={view} filter={filter} shown={shown} clear={() => setFilter(NO_FILTER)} />
          <Matrix view={view} table={table} onOpen={setOpen} />
        </section>
      )}
      {sections(view.after)}
      <Foot />
      <Panel view={view} open={open} close={() => setOpen(undefined)} />
    </div>
  );
}

/** Paper has no room for 60 columns, so a list is printed. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const print = window.matchMedia("print");
    const onChange = () => setPrinting(print.matches);
    print.addEventListener("change", onChange);
    // It may be printed before this runs.
    onChange();
    return () => print.removeEventListener("change", onChange);
  }, []);
  return isPrinting;
}

function isNarrow(): boolean {
  return window.matchMedia("(max-width: 640px)").matches;
}

interface TilesProps {
  tiles: readonly Tile[];
  view: View;
  chosen: ReadonlySet<CellKind>;
  onChoose: (kinds: ReadonlySet<CellKind>) => void;
}

/** Those that count cells show them on a click, and everything on the next one. */
function Tiles({ tiles, view, chosen, onChoose }: TilesProps) {
  const present = useMemo(
    () => new Set<CellKind>(view.cells.flatMap(({ status, marks }) => [status, ...marks])),
    [view],
  );
  return (
    <dl class="tiles">
      {tiles.map(({ label, value, note, isAlarming, kinds = [] }) => {
        const own = new Set(kinds.filter((kind) => present.has(kind)));
        const isOn = own.size > 0 && own.size === chosen.size && [...own].every((kind) => chosen.has(kind));
        return (
          <div key={label} class={isAlarming ? "tile alarm" : "tile"}>
            <dt>{label}</dt>
            <dd>
              {own.size === 0 ? (
                <b>{value}</b>
              ) : (
                <button
                  type="button"
                  aria-pressed={isOn}
                  aria-label={`${value}: show only these`}
                  onClick={() => onChoose(isOn ? new Set() : own)}
                >
                  <b>{value}</b>
                </button>
              )}
              {note !== undefined && <small>{note}</small>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface ToolbarProps {
  view: View;
  filter: Filter;
  change: (part: Partial<Filter>) => void;
  search: { current: HTMLInputElement | null };
  sort: Sort;
  setSort: (sort: Sort) => void;
  hasIds: boolean;
  setHasIds: (hasIds: boolean) => void;
  layout: Layout;
  setLayout: (layout: Layout) => void;
}

function Toolbar({ view, filter, change, search, ...look }: ToolbarProps) {
  const stacks = useMemo(
    () =>
      [...new Set(view.cells.flatMap(({ sources }) => sources.flatMap(({ stack }) => stack ?? [])))].sort(),
    [view],
  );
  const organizations = useMemo(
    () => [
      ...new Map(view.rows.flatMap(({ organization: one }) => (one ? [[one.id, one.name]] : []))).entries(),
    ],
    [view],
  );
  const hasPeople = useMemo(() => view.cells.some(({ people }) => people?.ids !== undefined), [view]);
  return (
    <div class="tools">
      <div class="fields">
        <input
          ref={search}
          type="search"
          class="search"
          placeholder="Search roles, groups, resources, people …"
          aria-label="Search"
          aria-keyshortcuts="/"
          value={filter.text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
        <Select
          label="Role"
          all="All roles"
          value={filter.row}
          items={view.rows}
          onChange={(row) => change({ row })}
        />
        <Select
          label="Group"
          all="All groups"
          value={filter.column}
          items={view.columns}
          onChange={(column) => change({ column })}
        />
        {stacks.length > 1 && (
          <select
            aria-label="Stack"
            value={filter.stack}
            onChange={({ currentTarget }) => change({ stack: currentTarget.value })}
          >
            <option value="">All stacks</option>
            {stacks.map((stack) => (
              <option key={stack}>{stack}</option>
            ))}
          </select>
        )}
        {organizations.length > 0 && (
          <select
            aria-label="Organization"
            value={filter.organization}
            onChange={({ currentTarget }) => change({ organization: currentTarget.value })}
          >
            <option value="">Everywhere</option>
            <option value={TENANT}>The tenant itself</option>
            {organizations.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        {hasPeople && (
          <input
            type="search"
            class="person"
            placeholder="Person"
            aria-label="Person"
            value={filter.person}
            onInput={({ currentTarget }) => change({ person: currentTarget.value })}
          />
        )}
      </div>
      <Legend view={view} kinds={filter.kinds} onChange={(kinds) => change({ kinds })} />
      <div class="look">
        <select
          aria-label="Order"
          value={look.sort}
          onChange={({ currentTarget }) => look.setSort(currentTarget.value as Sort)}
        >
          {Object.entries(SORTS).map(([sort, label]) => (
            <option key={sort} value={sort}>
              {label}
            </option>
          ))}
        </select>
        <span class="switch" role="group" aria-label="Layout">
          {(["matrix", "list"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={look.layout === one}
              onClick={() => look.setLayout(one)}
            >
              {one === "matrix" ? "Matrix" : "List"}
            </button>
          ))}
        </span>
        <label class="check">
          <input
            type="checkbox"
            checked={look.hasIds}
            onChange={({ currentTarget }) => look.setHasIds(currentTarget.checked)}
          />
          Ids
        </label>
      </div>
    </div>
  );
}

interface SelectProps {
  label: string;
  all: string;
  value: number | undefined;
  items: View["rows"] | View["columns"];
  onChange: (index: number | undefined) => void;
}

function Select({ label, all, value, items, onChange }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value === undefined ? "" : String(value)}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChange(chosen === "" ? undefined : Number(chosen))
      }
    >
      <option value="">{all}</option>
      {items.map((item, index) => (
        <option key={item.key} value={String(index)}>
          {[item.name, "note" in item && item.note, item.isTwin && item.id].filter(Boolean).join(" ")}
        </option>
      ))}
    </select>
  );
}

/** Says what the signs mean, and filters by them. */
function Legend({
  view,
  kinds,
  onChange,
}: {
  view: View;
  kinds: ReadonlySet<CellKind>;
  onChange: (kinds: ReadonlySet<CellKind>) => void;
}) {
  const numbers = useMemo(() => {
    const found = new Map<CellKind, number>();
    for (const { status, marks } of view.cells)
      for (const kind of [status, ...marks]) found.set(kind, (found.get(kind) ?? 0) + 1);
    return (Object.keys(CELL_KINDS) as CellKind[]).flatMap((kind) => {
      const number = found.get(kind);
      return number === undefined ? [] : [{ kind, number }];
    });
  }, [view]);
  return (
    <div class="legend" role="group" aria-label="Legend; select to filter">
      {numbers.map(({ kind, number }) => (
        <button
          key={kind}
          type="button"
          class={`chip k-${kind}`}
          aria-pressed={kinds.has(kind)}
          title={CELL_KINDS[kind].means}
          onClick={() => {
            const next = new Set(kinds);
            if (!next.delete(kind)) next.add(kind);
            onChange(next);
          }}
        >
          <i class="sign" />
          {CELL_KINDS[kind].word} <b>{grouped(number)}</b>
        </button>
      ))}
    </div>
  );
}

function Found({
  view,
  filter,
  shown,
  clear,
}: {
  view: View;
  filter: Filter;
  shown: Visibility;
  clear: () => void;
}) {
  const isOn = isFiltered(filter);
  const rows = shown.rows.filter(Boolean).length;
  const text = isOn
    ? `${count(shown.count, "cell")} of ${grouped(view.cells.length)}, in ${count(rows, "role")}`
    : `${count(view.rows.length, "role")}, ${count(view.cells.length, "cell")}`;
  return (
    <p class="found">
      <span role="status">{rows === 0 ? "Nothing matches." : text}</span>
      {isOn && (
        <button type="button" class="quiet" onClick={clear}>
          Show all
        </button>
      )}
      <span class="hint">
        <kbd>/</kbd> searches, arrow keys move between cells, <kbd>Enter</kbd> opens one
      </span>
    </p>
  );
}

function Remarks({ remarks, names }: { remarks: readonly AllWords[]; names: NamesById }) {
  if (remarks.length === 0) return null;
  return (
    <p class="remarks">
      {remarks.map((remark, index) => (
        <span key={index}>
          <Words words={remark} names={names} />
        </span>
      ))}
    </p>
  );
}

function Foot() {
  return (
    <footer class="foot">
      <p>
        Made by <code>pulumi-identity</code>. This page loads nothing and sends nothing.
      </p>
    </footer>
  );
}
