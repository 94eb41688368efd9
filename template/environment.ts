import { ACCOUNT_STAND_IN, REGION_STAND_IN, standInAt } from './stand-in';

/** Where a stack is deployed, with stand-ins for what is chosen then. */
export interface TemplateEnvironment {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly urlSuffix: string;
}

/** Partitions by how the names of their Regions begin. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
const PARTITIONS: readonly (readonly [start: string, partition: string, urlSuffix: string])[] = [
  ['cn-', 'aws-cn', 'amazonaws.com.cn'],
  ['us-gov-', 'aws-us-gov', 'amazonaws.com'],
  ['us-isob-', 'aws-iso-b', 'sc2s.sgov.gov'],
  ['us-iso-', 'aws-iso', 'c2s.ic.gov'],
  ['eusc-', 'aws-eusc', 'amazonaws.eu'],
  ['', 'aws', 'amazonaws.com'],
];

/** What an assembly says where the app leaves it open. */
const OPEN = /^(unknown|current)[-_]/;

function known(value: string | undefined): string | undefined {
  return value === undefined || value === '' || OPEN.test(value) ? undefined : value;
}

/** Where nothing says the partition, it is taken to be the one that most of AWS is. */
export function environmentOf(where: {
  account?: string | undefined;
  region?: string | undefined;
  place?: string | undefined;
}): TemplateEnvironment {
  const { place } = where;
  const region = known(where.region) ?? (place === undefined ? REGION_STAND_IN : standInAt('region', place));
  const account = known(where.account) ?? (place === undefined ? ACCOUNT_STAND_IN : standInAt('account', place));
  const [, partition = 'aws', urlSuffix = 'amazonaws.com'] =
    PARTITIONS.find(([start]) => region.startsWith(start)) ?? [];
  return { partition, region, account, urlSuffix };
}
