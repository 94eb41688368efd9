import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { NowMs } from '../../mover/aws/clock';
import { isoInstant } from '../../policy/instants';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';

/** The permissions to write an audit record. The caller’s identity needs none. */
export const AUDIT_WRITES = ['logs:CreateLogStream', 'logs:PutLogEvents'] as const;

const FORMAT = { format: 'dead-letter-office/audit', version: 1 } as const;

export interface AuditedChange {
  /** Such as `dlq redrive`. */
  readonly command: string;
  /** The ARN, name or id of what is changed. */
  readonly resource: string;
  /** The id of the plan. @default - the command has none */
  readonly plan?: string;
  /** What will be done. It contains no message. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What an audit record needs besides AWS. */
export interface AuditPorts {
  readonly nowMs: NowMs;
  readonly newId: () => string;
  /** Prints a warning. The command continues. */
  readonly warn: (text: string) => void;
}

/** The record of one change, in a log stream of its own. */
class AuditRecord {
  private readonly id: string;
  private readonly logs: CloudWatchLogsClient;
  private readonly logStreamName: string;
  private who: object = {};

  constructor(
    private readonly aws: Connection,
    private readonly logGroupName: string,
    private readonly change: AuditedChange,
    private readonly ports: AuditPorts,
  ) {
    this.id = ports.newId();
    this.logs = aws.client(CloudWatchLogsClient);
    this.logStreamName = `dlo/${isoInstant(ports.nowMs()).slice(0, 10)}/${this.id}`;
  }

  /** Writes who begins which change. @throws Error if it cannot be written */
  async begin(): Promise<void> {
    const { aws, logs, logGroupName, logStreamName, change } = this;
    const {
      Arn: arn,
      UserId: userId,
      Account: account,
    } = await aws.client(STSClient).send(new GetCallerIdentityCommand());
    this.who = { arn, userId, account };
    await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
    await this.write({ phase: 'intent', details: change.details });
  }

  async end(outcome: object): Promise<void> {
    await this.write({ phase: 'outcome', ...outcome });
  }

  private async write(phase: object): Promise<void> {
    const { logs, logGroupName, logStreamName, id, who, aws } = this;
    const { command, resource, plan = null } = this.change;
    const timestamp = this.ports.nowMs();
    const at = isoInstant(timestamp);
    const entry = { ...FORMAT, change: id, at, who, region: aws.region, command, resource, plan, ...phase };
    const logEvents = [{ timestamp, message: JSON.stringify(entry) }];
    const { rejectedLogEventsInfo } = await logs.send(
      new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }),
    );
    if (rejectedLogEventsInfo) {
      throw new Error(`CloudWatch Logs rejects an event of ${at}: is the clock of this machine right?`);
    }
  }
}

/**
 * Does work, and writes who does what into a log group: before, and again with the outcome.
 *
 * @param logGroupName undefined writes nothing
 * @param outcomeOf what the record says of the result
 * @throws Error if the record cannot be written before. Then the work has not begun.
 */
export async function audited<T>(
  aws: Connection,
  logGroupName: string | undefined,
  change: AuditedChange,
  ports: AuditPorts,
  work: () => Promise<T>,
  outcomeOf: (result: T) => object,
): Promise<T> {
  if (logGroupName === undefined) return work();
  const record = new AuditRecord(aws, logGroupName, change, ports);
  try {
    await record.begin();
  } catch (error) {
    const advice = `Create the log group ${logGroupName}, grant the permission, or name no log group for the audit record`;
    throw new Error(`nothing has been changed, because it cannot be recorded: ${messageOf(error)} ${advice}`, {
      cause: error,
    });
  }
  const end = async (outcome: object) => {
    try {
      await record.end(outcome);
    } catch (error) {
      ports.warn(
        `the outcome is not in the audit record ${logGroupName}: ${messageOf(error)} ${JSON.stringify(outcome)}`,
      );
    }
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await end({ error: messageOf(error) });
    throw error;
  }
  await end({ outcome: outcomeOf(result) });
  return result;
}
