import {
  AssociateKmsKeyCommand,
  type CloudWatchLogsClient,
  CreateLogGroupCommand,
  DeleteLogGroupCommand,
  DeleteRetentionPolicyCommand,
  DisassociateKmsKeyCommand,
  PutRetentionPolicyCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { type Properties, propertiesOf, type Request } from './cloudformation-request';
import {
  type Acts,
  type CommonPorts,
  DONE,
  NEVER_SET,
  type Outcome,
  outcomeOfError,
  PERHAPS_SET,
  patiently,
  TAKEN_OVER,
} from './outcome';

export interface LogGroupCalls {
  readonly create: (logGroupName: string, kmsKeyId: string | undefined) => Promise<Outcome>;
  readonly encryptWith: (logGroupName: string, kmsKeyId: string | undefined) => Promise<Outcome>;
  /** @param retentionInDays undefined keeps the records for ever */
  readonly retain: (logGroupName: string, retentionInDays: number | undefined) => Promise<Outcome>;
  readonly delete: (logGroupName: string) => Promise<Outcome>;
}

export interface LogGroupPorts extends CommonPorts {
  readonly logGroups: LogGroupCalls;
}

const NAME = { rule: 'must be the name of a log group', pattern: /^[\w./#-]{1,512}$/ };

const RULES = {
  SuccessLogGroup: NAME,
  FailureLogGroup: NAME,
  /** Empty if the records are kept for ever. */
  RetentionInDays: { rule: 'must be a number of days, or empty', pattern: /^\d*$/ },
  /** Empty if CloudWatch Logs encrypts with a key of its own. */
  KmsKeyId: { rule: 'must be the ARN of a key, or empty', pattern: /^$|^arn:/ },
  OnDelete: { rule: 'must be Keep or Delete', pattern: /^(Keep|Delete)$/ },
};

type LogGroups = Properties<typeof RULES>;

/**
 * Creates the log groups of a topic's delivery status, or takes over existing ones, and sets their retention and key. It keeps them
 * when the resource is deleted, unless the template says otherwise.
 *
 * The names of these groups follow from the topic's name, and SNS creates a group itself if it is missing. So a group may already
 * exist: from a deployment that failed, from a stack that was deleted, or from SNS. An `AWS::Logs::LogGroup` would then fail.
 */
export const LOG_GROUP_ACTS: Acts<LogGroupPorts> = { Create: ensure, Update: ensure, Delete: release };

const namesOf = ({ SuccessLogGroup, FailureLogGroup }: LogGroups) => [SuccessLogGroup, FailureLogGroup];

/**
 * The attributes of the custom resource, for `Fn::GetAtt`: the names of its two log groups. A reference to one of them makes
 * CloudFormation wait for the log group.
 */
export function logGroupAttributes({ properties }: Request): Readonly<Record<string, string>> {
  const wanted = propertiesOf(properties, RULES);
  if (typeof wanted === 'string') return {};
  return { SuccessLogGroup: wanted.SuccessLogGroup, FailureLogGroup: wanted.FailureLogGroup };
}

async function ensure(request: Request, ports: LogGroupPorts): Promise<Outcome> {
  const wanted = propertiesOf(request.properties, RULES);
  if (typeof wanted === 'string') return { kind: 'refused', reason: wanted };
  const known: KnownGroups = { created: new Set(), takenOver: new Set() };
  const outcome = await each(namesOf(wanted), name =>
    patiently(() => ensureOne(name, wanted, known, ports.logGroups), ports),
  );
  return outcome.kind === 'done' && known.takenOver.size > 0 ? { kind: 'done', mark: TAKEN_OVER } : outcome;
}

/** The names of log groups that this request has created, and of those that existed before. */
interface KnownGroups {
  readonly created: Set<string>;
  readonly takenOver: Set<string>;
}

/** Stops at the first name for which `act` fails. */
async function each(names: readonly string[], act: (name: string) => Promise<Outcome>): Promise<Outcome> {
  for (const name of names) {
    const outcome = await act(name);
    if (outcome.kind !== 'done') return outcome;
  }
  return DONE;
}

/** Also removes the key of a group that was taken over: SNS cannot write to a group whose key is deleted, and reports no error. */
async function ensureOne(
  name: string,
  { RetentionInDays, KmsKeyId }: LogGroups,
  { created, takenOver }: KnownGroups,
  logGroups: LogGroupCalls,
): Promise<Outcome> {
  const key = KmsKeyId === '' ? undefined : KmsKeyId;
  const creation = await logGroups.create(name, key);
  if (creation.kind !== 'done' && creation.kind !== 'exists') return creation;
  if (creation.kind === 'done') created.add(name);
  if (!created.has(name)) {
    takenOver.add(name);
    const encrypted = await logGroups.encryptWith(name, key);
    const hadNone = key === undefined && encrypted.kind === 'gone';
    if (encrypted.kind !== 'done' && !hadNone) return encrypted;
  }
  return logGroups.retain(name, RetentionInDays === '' ? undefined : Number(RetentionInDays));
}

/**
 * Keeps the log groups, or deletes them if the template says so. A log group that does not exist needs nothing. Groups that were
 * taken over are kept: the resource may be deleted because its stack is rolled back, and their records are older than the stack.
 */
async function release(request: Request, ports: LogGroupPorts): Promise<Outcome> {
  const { properties, physicalId = '' } = request;
  const wanted = propertiesOf(properties, RULES);
  const isRollback = physicalId.endsWith(NEVER_SET) || physicalId.endsWith(PERHAPS_SET);
  if (typeof wanted === 'string') return isRollback ? DONE : { kind: 'refused', reason: wanted };
  if (isRollback || physicalId.endsWith(TAKEN_OVER) || wanted.OnDelete === 'Keep') return DONE;
  return each(namesOf(wanted), async name => {
    const outcome = await patiently(() => ports.logGroups.delete(name), ports);
    return outcome.kind === 'gone' ? DONE : outcome;
  });
}

const KINDS = {
  ResourceAlreadyExistsException: 'exists',
  ResourceNotFoundException: 'gone',
  AccessDeniedException: 'denied',
  OperationAbortedException: 'busy',
} as const;

/**
 * **Assumption LOGS-8:** AWS does not publish what it answers when a log group has no key to remove: success, or
 * `InvalidParameterException`, because the name of the group is the only parameter.
 */
const KINDS_OF_REMOVAL = { ...KINDS, InvalidParameterException: 'gone' } as const;

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html */
export function logGroupCalls(client: CloudWatchLogsClient): LogGroupCalls {
  const outcomeOf = async (
    call: Promise<unknown>,
    kinds: typeof KINDS | typeof KINDS_OF_REMOVAL = KINDS,
  ): Promise<Outcome> => {
    try {
      await call;
      return DONE;
    } catch (error) {
      return outcomeOfError('CloudWatch Logs', error, kinds);
    }
  };
  return {
    create: (logGroupName, kmsKeyId) =>
      outcomeOf(client.send(new CreateLogGroupCommand({ logGroupName, ...(kmsKeyId !== undefined && { kmsKeyId }) }))),
    encryptWith: (logGroupName, kmsKeyId) =>
      kmsKeyId === undefined
        ? outcomeOf(client.send(new DisassociateKmsKeyCommand({ logGroupName })), KINDS_OF_REMOVAL)
        : outcomeOf(client.send(new AssociateKmsKeyCommand({ logGroupName, kmsKeyId }))),
    retain: (logGroupName, retentionInDays) =>
      outcomeOf(
        retentionInDays === undefined
          ? client.send(new DeleteRetentionPolicyCommand({ logGroupName }))
          : client.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays })),
      ),
    delete: logGroupName => outcomeOf(client.send(new DeleteLogGroupCommand({ logGroupName }))),
  };
}
