import { connected, REAL_CLOCK } from '../../account/connection/connection';
import { ServerClock } from '../../account/connection/server-clock';
import type { ConsoleContext } from '../../console/server/context';
import type { ConsoleOptions } from '../../console/server/options';
import { AccountModel } from '../../console/server/overview/account-model';
import { RedriveRuns } from '../../console/server/redrive/redrive-runs';
import { awsSource, type ConsoleSource } from '../../console/server/source';
import type { Deployed } from '../support/deployed';

const PACE = { structureMs: 1, levelsMs: 1, metricsMs: 1, requestsPerMinute: 1_000 };
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };

/** A long poll would not end where time stands still. */
class StandingClock extends ServerClock {
  override get pollSeconds(): number {
    return 0;
  }
}

/** What the feeds and calls of a console work with. Its waits move the time of the account. */
export function contextOf(
  { deployed, url }: { readonly deployed: Deployed; readonly url: string },
  more: Partial<ConsoleOptions> = {},
): ConsoleContext {
  const options = { endpointUrl: url, region: 'us-east-1' };
  const nowMs = () => deployed.aws.nowMs;
  const clock = new StandingClock({
    nowMs,
    wait: async milliseconds => void (await deployed.advance({ seconds: milliseconds / 1_000 })),
  });
  const source: ConsoleSource = {
    ...awsSource(options, nowMs, clock),
    use: work => connected(options, work, REAL_CLOCK, KEYS),
    alone: (_, work) => connected(options, aws => work(aws, clock, () => 0), REAL_CLOCK, KEYS),
  };
  const given = { source, mayChange: true, assets: '', version: '', base: '/', isOpen: true, nowMs, ...more };
  return { ...given, model: new AccountModel(source, PACE, nowMs), runs: new RedriveRuns(given) };
}
