import type { ConsoleOptions } from './options';
import type { AccountModel } from './overview/account-model';
import type { RedriveRuns } from './redrive/redrive-runs';

/** What the feeds and calls of the console work with. */
export interface ConsoleContext extends ConsoleOptions {
  readonly model: AccountModel;
  readonly runs: RedriveRuns;
}
