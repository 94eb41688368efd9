import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
}

/** The URL of a guide at the version of this package. A later version may have other section names. */
function publishedGuide(file: string): string {
  const { version, repository } = manifest();
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return `${home}/blob/v${version}/docs/${file}`;
}

export function publishedRunbook(): string {
  return publishedGuide('runbook.md');
}

/** The URL of the section on a check of the doctor. */
export function publishedCheck(id: string): string {
  return `${publishedGuide('doctor.md')}#${id}`;
}

/** The version of this package. */
export function packageVersion(): string {
  return manifest().version;
}

/** The section of docs/runbook.md that says what an alarm means and what to do. */
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
  FUNCTION_DEAD_LETTERS_LOST = 'function-dead-letters-lost',
  FUNCTION_DESTINATION_FAILED = 'function-destination-failed',
  FUNCTION_EVENTS_DROPPED = 'function-events-dropped',
  FUNCTION_LOOP_STOPPED = 'function-loop-stopped',
  RELAY_ENDPOINT_FAILING = 'relay-endpoint-failing',
  RELAY_BEHIND_SCHEDULE = 'relay-behind-schedule',
  RELAY_NOT_RECEIVING = 'relay-not-receiving',
  RELAY_NOT_TRYING = 'relay-not-trying',
  RELAY_NOT_DEAD_LETTERING = 'relay-not-burying',
  RELAY_FUNCTION_FAILING = 'relay-function-failing',
  RELAY_FUNCTION_THROTTLED = 'relay-function-throttled',
  RELAY_STOPPED = 'relay-stopped',
  RELAY_BREAKER_FAILING = 'relay-breaker-failing',
  REDRIVE_STOPPED = 'redrive-stopped',
  REDRIVE_FUNCTION_FAILING = 'redrive-function-failing',
  REDRIVE_FUNCTION_THROTTLED = 'redrive-function-throttled',
}

const PACKAGE_NAME = 'dead-letter-office';

function isPackageRoot(folder: string): boolean {
  const manifest = path.join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === PACKAGE_NAME;
}

/** The folder of this package, whether the constructs run from source, from `dist/lib`, or as an installed package. */
export function packageRoot(from: string = __dirname): string {
  if (isPackageRoot(from)) return from;
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`no folder above ${__dirname} is the package ${PACKAGE_NAME}`);
  return packageRoot(parent);
}
