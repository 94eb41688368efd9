import type { ConsoleOptions } from './options';
import type { AccountModel } from './overview/account-model';
import type { RedriveRuns } from './redrive/redrive-runs';

export interface ConsoleContext extends ConsoleOptions {
  readonly model: AccountModel;
  readonly runs: RedriveRuns;
}
