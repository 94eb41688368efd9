import { DAY_MS } from '../../kernel/clock';
import type { DynamoDbState } from '../dynamodb-state';
import { invalid } from '../errors';
import type { Table } from '../table';
import { type DynamoDbAction, tableNamed } from './dynamodb-action';

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html */
export const updateTimeToLive: DynamoDbAction<'UpdateTimeToLive', Table> = {
  permission: 'dynamodb:UpdateTimeToLive',
  resourceOf: tableNamed,
  run: (state, { input: { TimeToLiveSpecification: given } }, table) => {
    const { AttributeName, Enabled = false } = given ?? {};
    if (AttributeName === undefined) throw invalid('The parameter TimeToLiveSpecification is required');
    if (Enabled === (table.ttlAttribute !== undefined)) {
      throw invalid(`TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`);
    }
    state.expireBy(table, Enabled ? AttributeName : undefined);
    return { TimeToLiveSpecification: { AttributeName, Enabled } };
  },
};

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTimeToLive.html */
export const describeTimeToLive: DynamoDbAction<'DescribeTimeToLive', Table> = {
  permission: 'dynamodb:DescribeTimeToLive',
  resourceOf: tableNamed,
  run: (_state, _call, { ttlAttribute }) => ({
    TimeToLiveDescription:
      ttlAttribute === undefined
        ? { TimeToLiveStatus: 'DISABLED' }
        : { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute },
  }),
};

function backups({ nowMs }: DynamoDbState, { recoverableFromMs, recoveryDays }: Table) {
  const isOn = recoverableFromMs !== undefined;
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED' as const,
      PointInTimeRecoveryDescription: isOn
        ? {
            PointInTimeRecoveryStatus: 'ENABLED' as const,
            RecoveryPeriodInDays: recoveryDays,
            EarliestRestorableDateTime: new Date(Math.max(recoverableFromMs, nowMs - recoveryDays * DAY_MS)),
            LatestRestorableDateTime: new Date(nowMs),
          }
        : { PointInTimeRecoveryStatus: 'DISABLED' as const },
    },
  };
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateContinuousBackups.html */
export const updateContinuousBackups: DynamoDbAction<'UpdateContinuousBackups', Table> = {
  permission: 'dynamodb:UpdateContinuousBackups',
  resourceOf: tableNamed,
  run: (state, { input: { PointInTimeRecoverySpecification: given } }, table) => {
    const isOn = given?.PointInTimeRecoveryEnabled === true;
    table.recoverableFromMs = isOn ? (table.recoverableFromMs ?? state.nowMs) : undefined;
    table.recoveryDays = given?.RecoveryPeriodInDays ?? table.recoveryDays;
    return backups(state, table);
  },
};

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeContinuousBackups.html */
export const describeContinuousBackups: DynamoDbAction<'DescribeContinuousBackups', Table> = {
  permission: 'dynamodb:DescribeContinuousBackups',
  resourceOf: tableNamed,
  run: (state, _call, table) => backups(state, table),
};

const byArn = (state: DynamoDbState, { ResourceArn }: { readonly ResourceArn?: string | undefined }) =>
  tableNamed(state, { TableName: ResourceArn });

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TagResource.html */
export const tagResource: DynamoDbAction<'TagResource', Table> = {
  permission: 'dynamodb:TagResource',
  resourceOf: byArn,
  run: (_state, { input: { Tags = [] } }, { tags }) => {
    tags.put(Tags);
  },
};

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UntagResource.html */
export const untagResource: DynamoDbAction<'UntagResource', Table> = {
  permission: 'dynamodb:UntagResource',
  resourceOf: byArn,
  run: (_state, { input: { TagKeys = [] } }, { tags }) => {
    tags.remove(TagKeys);
  },
};

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ListTagsOfResource.html */
export const listTagsOfResource: DynamoDbAction<'ListTagsOfResource', Table> = {
  permission: 'dynamodb:ListTagsOfResource',
  resourceOf: byArn,
  run: (_state, _call, { tags }) => ({ Tags: tags.list() }),
};
