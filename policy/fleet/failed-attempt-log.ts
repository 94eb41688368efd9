/** The log line of a failed attempt. A dashboard counts these lines by endpoint. */
export interface FailedAttemptLine {
  readonly message: typeof FAILED_ATTEMPT;
  readonly tenant: string;
  readonly endpoint: string;
  readonly deliveryId: string;
  readonly reason: string;
  /** @default - no answer came */
  readonly statusCode?: number;
}

export const FAILED_ATTEMPT = 'attempt failed';

const member = (name: keyof FailedAttemptLine) => name;

/** A query of Logs Insights for the endpoints with the most failed attempts, and why the last of them failed. */
export const WORST_ENDPOINTS: readonly string[] = [
  `filter ${member('message')} = "${FAILED_ATTEMPT}"`,
  `stats count(*) as failures, earliest(@timestamp) as since, latest(@timestamp) as last, latest(${member('reason')}) as lastReason by ${member('tenant')}, ${member('endpoint')}`,
  'sort failures desc',
  'limit 20',
];
