/** What happened to the messages. Each is counted once. */
export interface RedriveBooks {
  readonly sent: number;
  /** Their consumer has processed them. */
  readonly processed: number;
  /** Not processed, and in the dead-letter queue. */
  readonly dead: number;
  /** Not processed, and in quarantine. */
  readonly quarantined: number;
  /** In no queue and not processed. */
  readonly lost: number;
  /** How often a message was processed again. */
  readonly repeated: number;
  /** How many messages are in a queue although they were processed, or are in queues twice. */
  readonly doubled: number;
}

/** The result of a redrive that lost no message and repeated none. */
export function closedBooks(processed: number, left: { readonly dead?: number; readonly quarantined?: number } = {}) {
  const { dead = 0, quarantined = 0 } = left;
  const books: RedriveBooks = {
    sent: processed + dead + quarantined,
    processed,
    dead,
    quarantined,
    lost: 0,
    repeated: 0,
    doubled: 0,
  };
  return books;
}

/** Where messages were found, by their bodies. Each body is sent once. */
export interface Found {
  readonly processed: readonly string[];
  readonly dead: readonly string[];
  readonly quarantined?: readonly string[];
}

/** Computes the result from the sent messages and where they were found. Throws for a message that was never sent. */
export function redriveBooks(sent: readonly string[], { processed, dead, quarantined = [] }: Found): RedriveBooks {
  const known = new Set(sent);
  const strange = [...processed, ...dead, ...quarantined].filter(body => !known.has(body));
  if (strange.length > 0) throw new Error(`nobody sent ${strange.slice(0, 5).join(', ')}`);
  const done = new Set(processed);
  const lying = [...dead, ...quarantined];
  const places = new Map<string, 'dead' | 'quarantined'>();
  for (const body of quarantined) places.set(body, 'quarantined');
  for (const body of dead) places.set(body, 'dead');
  const left = sent.filter(body => !done.has(body)).map(body => places.get(body));
  const countOf = (place: 'dead' | 'quarantined' | undefined) => left.filter(it => it === place).length;
  return {
    sent: sent.length,
    processed: done.size,
    dead: countOf('dead'),
    quarantined: countOf('quarantined'),
    lost: countOf(undefined),
    repeated: processed.length - done.size,
    doubled: lying.length - countOf('dead') - countOf('quarantined'),
  };
}
