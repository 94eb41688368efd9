import type { TracedHappening } from '../../local';

/** What kind of line a line of the timeline is; the renderer gives each its sign and colour. */
export type Mark = 'act' | 'dead' | 'retry' | 'alarm' | 'ok' | 'mail' | 'lost';

/** One line of the timeline. */
export interface ChronicleLine {
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string;
}

/** Happenings that belong together: the same thing going wrong again and again. */
export interface Episode {
  readonly first: TracedHappening;
  readonly last: TracedHappening;
  readonly count: number;
}

/** How happenings become lines. Decided by `tell`: undefined for what is not worth a line. */
export interface Telling {
  /** Happenings with the same key belong to one episode, as long as one follows the other soon enough. */
  readonly key: string;
  readonly mark: Mark;
  /** When it happens first. */
  readonly text: string;
  /** At the end of an episode of more than one. @default every happening is a line of its own */
  readonly summary?: (episode: Episode) => string;
}

export type Tell = (happening: TracedHappening) => Telling | undefined;

/** After this long without the same thing happening again, an episode is over. */
const EPISODE_GAP_MS = 45 * 60_000;

interface OpenEpisode extends Episode {
  readonly telling: Telling;
}

/** The trace as a human wants to read it: what happens again and again is told once, and summed up when it is over. */
export function chronicle(happenings: readonly TracedHappening[], tell: Tell): readonly ChronicleLine[] {
  const lines: ChronicleLine[] = [];
  const open = new Map<string, OpenEpisode>();
  for (const happening of happenings) {
    const telling = tell(happening);
    if (!telling) continue;
    const { key, mark, text, summary } = telling;
    const episode = summary && open.get(key);
    if (episode && happening.atMs - episode.last.atMs <= EPISODE_GAP_MS) {
      open.set(key, { ...episode, last: happening, count: episode.count + 1 });
      continue;
    }
    if (episode) lines.push(...summingUp(episode));
    lines.push({ atMs: happening.atMs, mark, text });
    if (summary) open.set(key, { first: happening, last: happening, count: 1, telling });
  }
  for (const episode of open.values()) lines.push(...summingUp(episode));
  return lines.sort((a, b) => a.atMs - b.atMs);
}

function summingUp(episode: OpenEpisode): readonly ChronicleLine[] {
  const { last, count, telling } = episode;
  if (count < 2 || !telling.summary) return [];
  return [{ atMs: last.atMs, mark: telling.mark, text: telling.summary(episode) }];
}
