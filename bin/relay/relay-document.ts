import { type AlarmDocument, alarmDocument } from '../../account/connection/alarms';
import { isoInstant } from '../../local';
import { configuredConcurrency, relayState } from './relay';
import type { MessageCounts, RelayFacts } from './relay-facts';
import { destinationText } from './wording';

/** A relay as `--json` prints it; `null` is what is not known, or not there. */
export interface RelayDocument {
  readonly name: string;
  readonly destination: string;
  /** `closed`, `half-open`, `open`, `stopped-by-hand`; `running` without a breaker; `no-mapping`. */
  readonly state: string;
  readonly since: string | null;
  readonly concurrency: number | null;
  readonly configuredConcurrency: number | null;
  readonly messages: Readonly<Record<keyof MessageCounts, number | null>>;
  readonly failureAlarm: AlarmDocument | null;
}

export function relayDocument({ relay, messages, failureAlarm }: RelayFacts): RelayDocument {
  const { mapping } = relay;
  const { visible, inFlight, dead } = messages;
  return {
    name: relay.name,
    destination: destinationText(relay),
    state: relayState(relay),
    since: mapping ? isoInstant(mapping.lastModifiedAtMs) : null,
    concurrency: mapping?.maximumConcurrency ?? null,
    configuredConcurrency: configuredConcurrency(relay) ?? null,
    messages: { visible: visible ?? null, inFlight: inFlight ?? null, dead: dead ?? null },
    failureAlarm: failureAlarm ? alarmDocument(failureAlarm) : null,
  };
}
