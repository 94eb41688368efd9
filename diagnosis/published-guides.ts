/** The members of `package.json` that tell where the guides of this package are published. */
export interface PublishedPackage {
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** The URL of a guide at the version of this package. A later version may have other section names. */
function guideUrl({ version, repository }: PublishedPackage, file: string): string {
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return `${home}/blob/v${version}/docs/${file}`;
}

export function publishedRunbook(manifest: PublishedPackage): string {
  return guideUrl(manifest, 'runbook.md');
}

/** The URL of the section on a check of the doctor. */
export function publishedCheck(manifest: PublishedPackage, id: string): string {
  return `${guideUrl(manifest, 'doctor.md')}#${id}`;
}

export enum RunbookSection {
  DEAD_LETTERS_ARRIVED = 'dead-letters-arrived',
  DEAD_LETTERS_WAITING = 'dead-letters-waiting',
  DEAD_LETTERS_AGEING = 'dead-letters-ageing',
  DEAD_LETTERS_UNATTENDED = 'dead-letters-unattended',
  DEAD_LETTERS_IN_QUARANTINE = 'dead-letters-in-quarantine',
  DEAD_LETTERS_LOST = 'dead-letters-lost',
  MESSAGES_NOT_KEPT = 'messages-not-kept',
  TOPIC_LOSES_MESSAGES = 'topic-loses-messages',
  DELIVERIES_FAILING = 'deliveries-failing',
  QUEUE_NOT_KEEPING_UP = 'queue-not-keeping-up',
  QUEUE_IN_FLIGHT_LIMIT = 'queue-in-flight-limit',
  FUNCTION_EVENTS_LOST = 'function-events-lost',
  FUNCTION_DEAD_LETTERS_LOST = 'function-dead-letters-lost',
  FUNCTION_DESTINATION_FAILED = 'function-destination-failed',
  FUNCTION_EVENTS_DROPPED = 'function-events-dropped',
  FUNCTION_LOOP_STOPPED = 'function-loop-stopped',
  RELAY_STALLED = 'relay-stalled',
  RELAY_MESSAGES_IN_DANGER = 'relay-messages-in-danger',
  RELAY_ENDPOINT_FAILING = 'relay-endpoint-failing',
  RELAY_BEHIND_SCHEDULE = 'relay-behind-schedule',
  RELAY_NOT_RECEIVING = 'relay-not-receiving',
  RELAY_NOT_TRYING = 'relay-not-trying',
  RELAY_NOT_DEAD_LETTERING = 'relay-not-burying',
  RELAY_FUNCTION_FAILING = 'relay-function-failing',
  RELAY_FUNCTION_THROTTLED = 'relay-function-throttled',
  RELAY_STOPPED = 'relay-stopped',
  RELAY_BREAKER_FAILING = 'relay-breaker-failing',
  FLEET_ENDPOINTS_FAILING = 'fleet-endpoints-failing',
  FLEET_STALLED = 'fleet-stalled',
  REDRIVE_STOPPED = 'redrive-stopped',
  REDRIVE_FUNCTION_FAILING = 'redrive-function-failing',
  REDRIVE_FUNCTION_THROTTLED = 'redrive-function-throttled',
}
