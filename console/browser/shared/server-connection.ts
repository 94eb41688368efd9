import { computed, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { CallName, Calls, FeedName, Feeds, Problem, Push } from '../../api';

export interface FeedState<Document> {
  readonly document?: Document;
  readonly problem?: Problem;
}

/** Whether the page hears from the server. `paused`: it is in the background. */
export type Connection = 'connecting' | 'live' | 'lost' | 'signed-out' | 'paused';

export const connection = signal<Connection>('connecting');

const states = new Map<string, Signal<FeedState<never>>>();
const wanted = new Map<string, number>();
const subscribed = signal<readonly string[]>([]);

/** The server sends something every ten seconds. */
const SILENCE_MS = 25_000;
/** How long a page in the background stays connected. A browser opens few connections to one server. */
const BACKGROUND_MS = 20_000;
const LONGEST_RETRY_MS = 10_000;

function stateOf(feed: string): Signal<FeedState<never>> {
  const state = states.get(feed) ?? signal<FeedState<never>>({});
  states.set(feed, state);
  return state;
}

/** The one stream of the page, with all feeds that are shown. */
class Stream {
  private source: EventSource | undefined;
  private opened = '';
  private retries = 0;
  private change: number | undefined;
  private retry: number | undefined;
  private silence: number | undefined;
  private hiding: number | undefined;

  /** Opens the stream again when other feeds are shown. */
  update(): void {
    subscribed.value = [...wanted.keys()];
    clearTimeout(this.change);
    this.change = setTimeout(() => this.open(), 0);
  }

  private open(): void {
    const feeds = [...wanted.keys()].sort();
    const query = new URLSearchParams(feeds.map(feed => ['feed', feed])).toString();
    if (connection.value === 'paused' || (this.source && query === this.opened)) return;
    this.close();
    this.opened = query;
    const source = new EventSource(`api/events?${query}`);
    this.source = source;
    source.onopen = () => this.heard();
    source.addEventListener('alive', () => this.heard());
    source.onmessage = ({ data }) => {
      this.heard();
      receive(JSON.parse(data));
    };
    source.onerror = () => this.failed();
  }

  private heard(): void {
    connection.value = 'live';
    this.retries = 0;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.failed(), SILENCE_MS);
  }

  private failed(): void {
    this.close();
    if (connection.value !== 'paused') connection.value = 'lost';
    this.retries += 1;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.tryAgain(), Math.min(LONGEST_RETRY_MS, 500 * 2 ** this.retries));
  }

  /** An event stream does not tell why it failed, so the server is asked first. */
  private async tryAgain(): Promise<void> {
    try {
      const { status } = await fetch('api/session');
      if (status !== 401) {
        this.open();
        return;
      }
      // Another tab may open the new link.
      connection.value = 'signed-out';
      this.retry = setTimeout(() => this.tryAgain(), LONGEST_RETRY_MS);
    } catch {
      // There is no answer: the server is still away.
      this.failed();
    }
  }

  private close(): void {
    clearTimeout(this.silence);
    clearTimeout(this.retry);
    this.source?.close();
    this.source = undefined;
  }

  watchVisibility(): void {
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.hiding);
      if (document.visibilityState === 'hidden') {
        this.hiding = setTimeout(() => {
          connection.value = 'paused';
          this.close();
        }, BACKGROUND_MS);
      } else if (connection.value === 'paused') {
        connection.value = 'connecting';
        this.update();
      }
    });
  }
}

const stream = new Stream();
stream.watchVisibility();

function receive(push: Push): void {
  const state = stateOf(push.feed) as Signal<FeedState<unknown>>;
  state.value = 'document' in push ? { document: push.document } : { ...state.value, problem: push.problem };
}

/** Why feeds of this page are not up to date, each reason once. */
export const problems = computed(() => {
  const shown = subscribed.value.flatMap(feed => stateOf(feed).value.problem?.says ?? []);
  return [...new Set(shown)];
});

/** Subscribes to a feed for as long as the component is shown. @param of the parameter of the feed, for `queue` the name of a queue */
export function useFeed<Name extends FeedName>(name: Name, of?: string): FeedState<Feeds[Name]> {
  const feed = of === undefined ? name : `${name}:${of}`;
  useEffect(() => {
    wanted.set(feed, (wanted.get(feed) ?? 0) + 1);
    stream.update();
    return () => {
      const left = (wanted.get(feed) ?? 1) - 1;
      if (left > 0) wanted.set(feed, left);
      else wanted.delete(feed);
      stream.update();
    };
  }, [feed]);
  return useMemo(() => stateOf(feed), [feed]).value;
}

export class CallFailed extends Error {
  constructor(readonly problem: Problem) {
    super(problem.says);
  }
}

export async function call<Name extends CallName>(
  name: Name,
  input: Calls[Name]['input'],
): Promise<Calls[Name]['output']> {
  let answer: Response;
  try {
    answer = await fetch(`api/call/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
  } catch {
    throw new CallFailed({ kind: 'unreachable', says: 'The console does not answer: is dlo still running?' });
  }
  const body: unknown = await answer.json();
  if (answer.ok) return body as Calls[Name]['output'];
  if (answer.status === 401) connection.value = 'signed-out';
  throw new CallFailed(body as Problem);
}
