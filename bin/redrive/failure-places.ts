import type { FactClients } from '../../lambda/redrive/facts';
import { oldestAgeSeconds } from '../../lambda/redrive/figures';
import { readQueueDepth } from '../../lambda/redrive/queues';
import type { QueueDepth } from '../../policy/redrive/redrive-facts';
import type { QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import type { Redrive } from './redrive';

/** A queue in which ends what a redrive sent home and failed again. */
export interface FailurePlace {
  readonly queue: QueueName;
  /** Whether the redrive put it there itself, so that SQS knows no queue to move it back to. */
  readonly isByRedrive: boolean;
  /** Undefined where there is no such queue. */
  readonly depth: QueueDepth | undefined;
  /** @default - CloudWatch has no figure: nothing is there, or not for long */
  readonly oldestAgeSeconds?: number;
  /** The redrive that empties it. @default - none: it is a quarantine, whatever it is called */
  readonly emptiedBy?: string;
}

type Place = Pick<FailurePlace, 'queue' | 'isByRedrive'>;

/** What comes back into the dead-letter queue itself is no place of its own. */
function placesOf({ deadLetters, failures, quarantine }: RedriveSettings): readonly Place[] {
  const places = [
    ...(quarantine ? [{ queue: quarantine, isByRedrive: true }] : []),
    ...(failures && failures.arn !== quarantine?.arn ? [{ queue: failures, isByRedrive: false }] : []),
  ];
  return places.filter(({ queue }) => queue.arn !== deadLetters.arn);
}

/**
 * Where what a redrive sent home ends when it fails again, and what is there. It takes the permissions
 * `sqs:GetQueueAttributes` and `cloudwatch:GetMetricData`.
 */
export function failurePlaces(
  { sqs, figures }: FactClients,
  settings: RedriveSettings,
  all: readonly Redrive[],
  nowMs: number,
): Promise<readonly FailurePlace[]> {
  return Promise.all(
    placesOf(settings).map(async place => {
      const { arn, url } = place.queue;
      const [depth, age] = await Promise.all([readQueueDepth(sqs, url), oldestAgeSeconds(figures, place.queue, nowMs)]);
      const emptiedBy = all.find(other => other.settings?.deadLetters.arn === arn)?.name;
      return {
        ...place,
        depth,
        ...(age !== undefined && { oldestAgeSeconds: age }),
        ...(emptiedBy !== undefined && { emptiedBy }),
      };
    }),
  );
}
