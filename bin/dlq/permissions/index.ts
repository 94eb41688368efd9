import { DOCTOR_PERMISSIONS } from '../../doctor/command';
import { EXPORT_PERMISSIONS } from '../archive/export/command';
import { IMPORT_PERMISSIONS } from '../archive/import/command';
import { PURGE_PERMISSIONS } from '../archive/purge/command';
import { LIST_PERMISSIONS } from '../list/command';
import { PEEK_PERMISSIONS } from '../peek/command';
import { CANCEL_PERMISSIONS, REDRIVE_PERMISSIONS, WATCH_PERMISSIONS } from '../redrive/command';
import { WHY_PERMISSIONS } from '../why/command';
import type { CommandPermissions } from './command-permissions';

/** What each command takes that works on dead-letter queues, in the order of the help; and `dlo doctor`, of an account. */
export const PERMISSIONS: readonly CommandPermissions[] = [
  LIST_PERMISSIONS,
  PEEK_PERMISSIONS,
  WHY_PERMISSIONS,
  REDRIVE_PERMISSIONS,
  WATCH_PERMISSIONS,
  CANCEL_PERMISSIONS,
  EXPORT_PERMISSIONS,
  IMPORT_PERMISSIONS,
  PURGE_PERMISSIONS,
  DOCTOR_PERMISSIONS,
];
