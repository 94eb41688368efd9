import type { FeedName, Feeds, Problem, Push } from '../api';
import { problemOf } from './problem';

/** Receives what changes. */
interface FeedListener<Document> {
  changed(document: Document): void;
  failed(problem: Problem): void;
}

export interface FeedSource<Document> {
  /**
   * Begins to read. It is called for the first page that subscribes, and its result when the last one has left.
   *
   * @param of the parameter of the feed: `orders-dlq` of `queue:orders-dlq`. Empty without one
   * @returns a function that stops
   * @throws BadInput when there is no such feed
   */
  open(of: string, listener: FeedListener<Document>): () => void;
}

export type FeedSources = { readonly [Name in FeedName]: FeedSource<Feeds[Name]> };

/** How often a feed is read: again so long after a read has ended, whether it succeeded or not. */
export interface Pace {
  /** @param tookMs how long the last read took */
  nextMs(tookMs: number): number;
}

export function polled<Document>(
  read: (of: string) => Promise<Document>,
  pace: Pace,
  nowMs: () => number,
): FeedSource<Document> {
  return {
    open(of, listener) {
      let timer: NodeJS.Timeout | undefined;
      let isOpen = true;
      const round = async (): Promise<void> => {
        const beganMs = nowMs();
        try {
          const document = await read(of);
          if (isOpen) listener.changed(document);
        } catch (error) {
          if (isOpen) listener.failed(problemOf(error));
        }
        if (isOpen) timer = setTimeout(round, pace.nextMs(nowMs() - beganMs));
      };
      void round();
      return () => {
        isOpen = false;
        clearTimeout(timer);
      };
    },
  };
}

/** How long a feed stays open when the last page has left, in milliseconds: a page that changes its view comes back at once. */
const LINGER_MS = 5_000;

type Send = (text: string) => void;

/** A feed that some page shows. All pages share what is read. */
class OpenFeed {
  private readonly listeners = new Set<Send>();
  private last: string | undefined;
  private stop: (() => void) | undefined;
  private lingering: NodeJS.Timeout | undefined;

  constructor(
    private readonly begin: (publish: (text: string) => void) => () => void,
    private readonly ended: () => void,
  ) {}

  add(send: Send): () => void {
    clearTimeout(this.lingering);
    this.listeners.add(send);
    if (this.last !== undefined) send(this.last);
    this.stop ??= this.begin(text => {
      if (text === this.last) return;
      this.last = text;
      for (const listener of this.listeners) listener(text);
    });
    return () => {
      this.listeners.delete(send);
      if (this.listeners.size === 0) this.lingering = setTimeout(() => this.close(), LINGER_MS);
    };
  }

  close(): void {
    clearTimeout(this.lingering);
    this.stop?.();
    this.stop = undefined;
    this.ended();
  }
}

export class OpenFeeds {
  private readonly open = new Map<string, OpenFeed>();

  constructor(private readonly sources: FeedSources) {}

  has(feed: string): boolean {
    return Object.hasOwn(this.sources, nameOf(feed));
  }

  /**
   * @param feed its name, with its parameter
   * @param send receives a `Push` as JSON, at once if there is one
   * @returns a function that ends the subscription
   */
  subscribe(feed: string, send: Send): () => void {
    const there =
      this.open.get(feed) ??
      new OpenFeed(
        publish => this.begin(feed, publish),
        () => this.open.delete(feed),
      );
    this.open.set(feed, there);
    return there.add(send);
  }

  close(): void {
    for (const feed of [...this.open.values()]) feed.close();
  }

  private begin(feed: string, publish: (text: string) => void): () => void {
    const of = feed.slice(nameOf(feed).length + 1);
    const push = (it: Push): void => publish(JSON.stringify(it));
    const source: FeedSource<Feeds[FeedName]> = this.sources[nameOf(feed) as FeedName];
    return source.open(of, {
      changed: document => push({ feed, document } as Push),
      failed: problem => push({ feed, problem }),
    });
  }
}

function nameOf(feed: string): string {
  return feed.split(':')[0] ?? '';
}
