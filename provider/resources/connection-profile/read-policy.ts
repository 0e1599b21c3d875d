/** What a refresh knows when profiles wait to be read. How many there are, or how long the list is, it is not told. */
export interface Progress {
  /** Profiles that were asked for, with those that wait. */
  asked: number;
  /** Profiles of these that pages have shown, and that nothing else had to read. */
  found: number;
  /** Profiles that pages have shown after they had been read singly. */
  late: number;
  /** Profiles that wait to be read. */
  waiting: number;
  /** Pages that were listed. */
  pages: number;
  /** Whether the list goes on. */
  hasNext: boolean;
  /** `asked` when profiles were last read singly. */
  askedBefore: number;
}

/** Up to this many profiles are read singly without a look at the list. */
const SINGLY = 2;
/** Pages in vain for ten profiles asked for: 0.3 for each. */
const PAGES_IN_VAIN = 3;

/**
 * How many of the waiting profiles to read singly; 0: list the next page. A page costs as much as one profile, and each
 * profile that it shows pays for a page. Beyond those a refresh lists less than 0.3 pages for each profile asked for. The
 * first two are read without a look at the list. Where pages show more than one profile each, these two count as
 * found when the list comes to them: if the engine asks in its order, that lets it catch up.
 *
 * For N profiles, all of them on a list of L pages, this takes
 * - always less than 1.3 N + 2 requests; less than 1.3 N, or 4 for N = 3, if no page shows what was read singly before;
 * - always less than 4.34 L;
 * - at most L + 2 if the pages have always shown as many of those asked for as there are pages. So it is where each page has
 *   three of them or more, and the engine asks in the order of the list;
 * - at most L if the engine asks for all at once and L is less than 0.3 N.
 *
 * No policy takes at most 1.3 times the smaller of N and L. Take two profiles: if both are read singly, the list may have
 * had one page (2 requests, not 1), and if that page is listed first, it may show neither (3 requests, not 2). Nor is
 * it a matter of small numbers: who never takes more than 1.3 N gives up after 0.3 N pages that show nothing, and the next page
 * may have been the last, and have shown the rest: some 1.3 N requests, not 0.3 N. Here the price is paid where many
 * profiles come late in the list, or in an order of its own, and few are asked for at a time. Listing up to N pages
 * would make that 2 L, and 2 N of what a few profiles among many take.
 */
export function singleReads(progress: Progress): number {
  const { asked, found, late, waiting, pages, hasNext, askedBefore } = progress;
  if (!hasNext) return waiting;
  if (pages === 0 && asked > SINGLY) return 0;
  // The next page is listed when pages + 1 < paid + 0.3 asked.
  const paid = found + late > pages ? found + Math.min(late, SINGLY) : found;
  const askedForPage = Math.floor(((pages + 1 - paid) * 10) / PAGES_IN_VAIN) + 1;
  if (asked >= askedForPage) return 0;
  // The engine asks for another when one is answered, and the next page may have those that wait. If it asked for none, that
  // page is out of reach.
  return asked === askedBefore ? waiting : Math.min(waiting, askedForPage - asked);
}
