import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LocalAws } from '../../local';
import { type Template, templateFiles } from './assembly';
import { decisionsOf } from './decisions';
import { Deployed } from './deployed';
import { comeOverPlainHttp, type Use, useEverything } from './stack-use';
import { type DecidedRequests, type Grain, labelGrants } from './statements';

/** Grants that decide no request here, and the reasons to keep them. */
const UNNOTICED: readonly { readonly grant: RegExp; readonly because: string }[] = [
  {
    grant: /DeliveryStatusRoleDefaultPolicy\w+ logs:(CreateLogGroup|PutMetricFilter|PutRetentionPolicy)$/,
    because: 'AWS documents the role of delivery-status logging with them; here SNS finds the log groups there',
  },
  {
    grant:
      /^DeadLetterOfficeTopicDeliveryPolicies\w+ logs:(AssociateKmsKey|DeleteRetentionPolicy|DisassociateKmsKey)$|^DeliveryStatusLogGroups\w+Access logs:DeleteLogGroup$/,
    because: 'changing and deleting log groups needs them, which test/deployed/status-log-groups.test.ts does',
  },
  {
    grant: /^\w+ firehose:(DescribeDeliveryStream|ListDeliveryStreams|ListTagsForDeliveryStream|PutRecordBatch)$/,
    because: 'AWS documents the role of a Firehose subscription with them; here SNS puts one record at a time',
  },
  {
    grant: /^LogKey\w+ kms:(Encrypt|ReEncrypt|Describe)\*$/,
    because: 'AWS documents the policy of a key that encrypts log groups with them; here CloudWatch Logs asks for two',
  },
  {
    grant: /^HandlerServiceRoleDefaultPolicy\w+ (sqs:GetQueue(Attributes|Url)|kms:(Encrypt|ReEncrypt\*))$/,
    because: 'the destination of aws-cdk-lib gives them to every function that sends its records to a queue',
  },
  {
    grant: /^(Where|Headers|Signing|Client)Key\w+ kms:(?!\*)/,
    because: 'the secret of aws-cdk-lib gives them to its account, whose own policies would do',
  },
  {
    grant:
      /^(Relay|FleetDispatcher|FleetDeliverer)Role\w+ sqs:GetQueueUrl$|^FleetDispatcherRole\w+ sqs:ChangeMessageVisibility$/,
    because: 'the event source of aws-cdk-lib gives them to every function that consumes a queue',
  },
  {
    grant: /^RelayRole\w+ ec2:(DescribeSubnets|(Una|A)ssignPrivateIpAddresses)$/,
    because:
      'AWS documents the role of a function in a VPC with them; here Lambda asks for three, and there are no subnets',
  },
  {
    grant: /^RelayNoInterfacesForCode\w+ ec2:/,
    because: 'it denies the code of a function what only Lambda needs, and ours never asks for it',
  },
  {
    grant: /ServiceRoleDefaultPolicy\w+ sqs:(ChangeMessageVisibility|GetQueueUrl)$/,
    because: 'the event source of aws-cdk-lib gives them to every function that consumes a queue',
  },
  {
    grant: /^RentalFulfilmentSystemRole\w+ s3:GetObject$/,
    because: 'the instance downloads its process with it, and S3 is not simulated',
  },
  {
    grant: /^TaskRedriveRoleDefaultPolicy\w+ sqs:ChangeMessageVisibility$/,
    because: 'the function itself takes letters out only where SQS refuses to, and here it does not',
  },
];

/** How the grants of an assembly are tested. */
export interface Trial {
  readonly grain: Grain;
  /** How this stack is used, in addition to how every stack is used. */
  readonly more?: Use;
  /** Whether it is used only by `more`, because no grant of `ours` is needed for the rest. */
  readonly onlyMore?: true;
  /** The grants to try, each by its logical id and its action. The others belong to aws-cdk-lib, or another trial has them. */
  readonly ours?: RegExp;
}

const PICKY =
  'exports.handler = async event => { if (JSON.stringify(event).includes("poison")) throw new Error("indigestible"); };';

/** Makes functions with inline code fail on poison. */
function picky(template: Template): Template {
  for (const { Properties = {} } of Object.values(template.Resources)) {
    const code = Properties['Code'];
    if (typeof code === 'object' && code !== null && 'ZipFile' in code) code.ZipFile = PICKY;
  }
  return template;
}

/** A copy of an assembly whose templates may be changed. */
function copyOf(assembly: string, templates: ReadonlyMap<string, Template>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-copy-'));
  const names = new Map([...templates].map(([file, template]) => [path.basename(file), template]));
  for (const name of readdirSync(assembly)) {
    const template = names.get(name);
    if (template) writeFileSync(path.join(folder, name), JSON.stringify(template));
    else symlinkSync(path.join(assembly, name), path.join(folder, name));
  }
  return folder;
}

/** Deploys an assembly and uses it. Returns what decided the requests. */
async function decidedIn(assembly: string, uses: readonly Use[]): Promise<DecidedRequests> {
  let physicalIds: ReadonlyMap<string, string> = new Map();
  const decisions = await decisionsOf(async () => {
    const aws = await LocalAws.deploy(assembly, { standIns: 'warn' });
    const resources = aws.services.cloudFormation.resourcesOfType(/./);
    physicalIds = new Map(resources.map(({ logicalId, physicalId }) => [logicalId, physicalId]));
    const deployed = new Deployed(aws);
    for (const use of uses) await use(deployed);
    await deployed.close();
  });
  return {
    bySid: sid => [...(decisions.get(sid) ?? [])],
    byPolicy: (role, policy) => decisions.has(`policy ${policy} of role ${role}`),
    physicalId: logicalId => physicalIds.get(logicalId) ?? '',
  };
}

/**
 * Uses a stack, and returns the grants that are not as they should be: those without which every request would be decided as before,
 * unless there is a reason to keep them, and those which have such a reason and are needed.
 */
export async function wrongGrants(assembly: string, trial: Trial): Promise<readonly string[]> {
  const { grain, more, onlyMore, ours } = trial;
  const templates = new Map(
    templateFiles(assembly).map(file => [file, picky(JSON.parse(readFileSync(file, 'utf8')) as Template)]),
  );
  const grants = [...templates.values()].flatMap((template, place) => labelGrants(template, grain, `Grant${place}`));
  const copy = copyOf(assembly, templates);
  const uses = [comeOverPlainHttp, ...(more ? [more] : []), ...(onlyMore ? [] : [useEverything])];
  const requests = await decidedIn(copy, uses).finally(() => rmSync(copy, { recursive: true }));
  return grants
    .map(({ logicalId, action, decided }) => ({ grant: `${logicalId} ${action}`, isNeeded: decided(requests) }))
    .filter(({ grant }) => ours === undefined || ours.test(grant))
    .filter(({ grant, isNeeded }) => isNeeded === UNNOTICED.some(known => known.grant.test(grant)))
    .map(({ grant, isNeeded }) => `${grant} is ${isNeeded ? '' : 'not '}needed`);
}
