/**
 * The id of every warning, without `dead-letter-office:` before it. Users acknowledge warnings by their ids: one that has
 * been released stays. Each is told of in a docstring of what raises it, and in docs/warnings.md.
 */
export const WARNING_IDS = [
  'age-alarm-never-fires',
  'alarm-action-of-another-account',
  'alarm-tells-nobody',
  'alarm-topic-closed',
  'alarm-topic-fifo',
  'confirmation-needed',
  'cross-region-unsupported',
  'dashboard-shows-nothing',
  'dead-letter-queue-of-another-type',
  'dead-letters-expire-early',
  'dead-letters-kept-too-short',
  'dead-letters-unencrypted',
  'dead-letters-unwatched',
  'delivery-policy-overridden',
  'delivery-policy-without-effect',
  'duration-not-known',
  'endpoint-unreachable',
  'expires-before-last-receive',
  'feeder-unknown',
  'fifo-subscriptions-quota',
  'filter-policies-quota',
  'filters-delete-messages',
  'function-keeps-nothing',
  'function-policy-not-writable',
  'key-of-another-account',
  'key-policy-not-writable',
  'logging-unused',
  'logging-without-role',
  'losses-counted-elsewhere',
  'no-billing-endpoint',
  'no-dead-letter-queue',
  'ops-topic-unheard',
  'phone-number-without-country-code',
  'private-ranges-without-vpc',
  'queue-keeps-nothing',
  'queue-policy-not-writable',
  'redrive-after-expiry',
  'redrive-bars-itself',
  'redrive-by-hand-alone',
  'redrive-judged-too-soon',
  'redrive-reorders',
  'redrive-shut-without-data',
  'redrive-source-unknown',
  'relay-without-tls',
  'sms-without-dead-letter-queue',
  'too-few-receives',
  'topic-of-another-account',
  'visibility-too-short',
] as const;

/** What a warning is acknowledged by. */
export type WarningId = (typeof WARNING_IDS)[number];

/** What is legal, and may lose messages or tell nobody. */
export interface Warning {
  readonly id: WarningId;
  readonly message: string;
}
