import type { TracedAwsEvent } from '../../../local';
import { formatDuration } from '../../../policy/format-text';
import type { JourneyWriter } from './journey-writer';

/** What `GET /_dlo/messages/ID` answers. */
export interface MessageRecord {
  readonly id: string;
  readonly ids: readonly string[];
  /** By its id in each queue or topic. */
  readonly bodies: Readonly<Record<string, string>>;
  /** The original by its copy. */
  readonly copies: Readonly<Record<string, string>>;
  readonly subscriptions: Readonly<Record<string, { readonly endpoint: string; readonly protocol: string }>>;
  readonly events: readonly TracedAwsEvent[];
}

export interface JourneyContext {
  readonly record: MessageRecord;
  readonly write: JourneyWriter;
  /** The queue that each message of a queue is in, by its id. */
  readonly queues: Map<string, string>;
  readonly origins: Map<string, { readonly place: string; readonly step: number }>;
}

/** Seconds as text; fractions only below a minute. */
export function seconds(value: number): string {
  return formatDuration(value < 60 ? value : Math.round(value));
}
