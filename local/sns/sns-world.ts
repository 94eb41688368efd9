import type { ServiceContext } from '../kernel/services';
import type { Dispatch } from './delivery/dispatch';
import type { Directory } from './directory';
import type { SnsHappening } from './happenings';

/** What the API actions work on. */
export interface SnsWorld {
  readonly context: ServiceContext<SnsHappening>;
  readonly directory: Directory;
  readonly dispatch: Dispatch;
}
