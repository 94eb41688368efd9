import type { TracedAwsEvent } from '../../local';

/** What kind of line a line of the timeline is; the renderer gives each its sign and colour. */
export type Mark = 'act' | 'dead' | 'retry' | 'alarm' | 'ok' | 'lost';

/** One line of the timeline. */
export interface ChronicleLine {
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string;
}

/** Happenings that belong together, oldest first: the same thing going wrong again and again. */
export type Episode = readonly [TracedAwsEvent, ...TracedAwsEvent[]];

/** How a happening becomes a line. */
export interface Telling {
  /** Happenings with the same key belong to one episode, as long as one follows the other soon enough. */
  readonly key: string;
  readonly mark: Mark;
  /** When it happens first. @default nothing is said until the episode is over */
  readonly text?: string;
  /** At the end of an episode; undefined where the first line said it all. @default every happening has a line of its own */
  readonly summary?: (episode: Episode) => { readonly mark: Mark; readonly text: string } | undefined;
}

/** Says how a happening is told; undefined for what is not worth a line. */
export type Tell = (happening: TracedAwsEvent) => Telling | undefined;

/** After this long without the same thing happening again, an episode is over. */
const EPISODE_GAP_MS = 45 * 60_000;

interface OpenEpisode {
  readonly telling: Telling;
  readonly happenings: [TracedAwsEvent, ...TracedAwsEvent[]];
}

/** The trace as a human wants to read it: what happens again and again is told once, and summed up when it is over. */
export function chronicle(happenings: readonly TracedAwsEvent[], tell: Tell): readonly ChronicleLine[] {
  const lines: ChronicleLine[] = [];
  const open = new Map<string, OpenEpisode>();
  for (const happening of happenings) {
    const telling = tell(happening);
    if (!telling) continue;
    const { key, mark, text, summary } = telling;
    const episode = summary && open.get(key);
    if (episode && happening.atMs - lastOf(episode.happenings).atMs <= EPISODE_GAP_MS) {
      episode.happenings.push(happening);
      continue;
    }
    if (episode) lines.push(...summingUp(episode));
    if (text !== undefined) lines.push({ atMs: happening.atMs, mark, text });
    if (summary) open.set(key, { telling, happenings: [happening] });
  }
  for (const episode of open.values()) lines.push(...summingUp(episode));
  return lines.sort((a, b) => a.atMs - b.atMs);
}

/** The latest happening of an episode. */
export function lastOf(episode: Episode): TracedAwsEvent {
  return episode.at(-1) ?? episode[0];
}

function summingUp({ telling, happenings }: OpenEpisode): readonly ChronicleLine[] {
  const line = telling.summary?.(happenings);
  return line ? [{ atMs: lastOf(happenings).atMs, ...line }] : [];
}
