import {
  CloudFormationClient,
  paginateListStackResources,
  paginateListStacks,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { Resource } from '../../diagnosis/inventory/inventory';
import { awsFailureOf } from '../../mover/aws/aws-calls';
import { parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { nearNames } from '../../policy/near-names';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';

const NESTED = 'AWS::CloudFormation::Stack';
const DELETED = 'DELETE_COMPLETE';

/** Prefixes of resource types in the inventory, and the service in their ARNs. */
const SERVICES: Readonly<Record<string, string>> = {
  SQS: 'sqs',
  SNS: 'sns',
  Lambda: 'lambda',
  Events: 'events',
  Scheduler: 'scheduler',
  CloudWatch: 'cloudwatch',
  KMS: 'kms',
  IAM: 'iam',
};

/** The last part is the same in the ARN, the URL and the name of a resource. In the id of a rule, `|` separates its bus. */
function lastPartOfId(id: string): string {
  return id.split(/[:/|]/).at(-1) ?? '';
}

function keyOfSummary({ ResourceType = '', PhysicalResourceId = '' }: StackResourceSummary): string | undefined {
  const [, service = ''] = ResourceType.split('::');
  const prefix = ownMember(SERVICES, service);
  return prefix && `${prefix}:${lastPartOfId(PhysicalResourceId)}`;
}

function keyOfResource({ arn }: Resource): string {
  return `${parseArn(arn)?.service}:${lastPartOfId(arn)}`;
}

async function summaries(client: CloudFormationClient, StackName: string): Promise<readonly StackResourceSummary[]> {
  const found: StackResourceSummary[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    found.push(...StackResourceSummaries.filter(({ ResourceStatus }) => ResourceStatus !== DELETED));
  }
  for (const { ResourceType, PhysicalResourceId } of [...found]) {
    if (ResourceType !== NESTED || !PhysicalResourceId) continue;
    found.push(...(await summaries(client, PhysicalResourceId)));
  }
  return found;
}

async function nearStacks(client: CloudFormationClient, name: string): Promise<string> {
  const names: string[] = [];
  try {
    for await (const { StackSummaries = [] } of paginateListStacks({ client }, {})) {
      const there = StackSummaries.filter(({ StackStatus }) => StackStatus !== DELETED);
      names.push(...there.flatMap(({ StackName }) => StackName ?? []));
    }
  } catch (error) {
    if (!awsFailureOf(error, 'ListStacks')) throw error;
  }
  const near = nearNames(name, [...new Set(names)]);
  return near.length === 0 ? '' : `. Similar names: ${near.join(', ')}`;
}

/**
 * Returns a function that tells whether a resource is in a stack or in one of its nested stacks. It needs `STACK_READS`. When it
 * may also list stacks, its error suggests similar names.
 *
 * @param stack its name or ARN
 */
export async function inStack(aws: Connection, stack: string): Promise<(resource: Resource) => boolean> {
  const client = aws.client(CloudFormationClient);
  try {
    const keys = new Set((await summaries(client, stack)).map(keyOfSummary));
    return resource => keys.has(keyOfResource(resource));
  } catch (error) {
    if (!(error instanceof Error && /does not exist/.test(error.message))) throw error;
    throw new BadInput([`no stack in ${aws.region} is named ${stack}${await nearStacks(client, stack)}`]);
  }
}
