import { DAY_MS } from '../../../policy/time-units';
import type { DynamoDbState } from '../dynamodb-state';
import { invalid } from '../errors';
import type { Table } from '../table';
import { type DynamoDbFamily, tableNamed } from './dynamodb-action';

const byArn = (state: DynamoDbState, { ResourceArn }: { readonly ResourceArn?: string | undefined }) =>
  tableNamed(state, { TableName: ResourceArn });

export const settingActions = {
  UpdateTimeToLive: {
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
  },

  DescribeTimeToLive: {
    resourceOf: tableNamed,
    run: (_state, _call, { ttlAttribute }) => ({
      TimeToLiveDescription:
        ttlAttribute === undefined
          ? { TimeToLiveStatus: 'DISABLED' }
          : { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute },
    }),
  },

  UpdateContinuousBackups: {
    resourceOf: tableNamed,
    run: (state, { input: { PointInTimeRecoverySpecification: given } }, table) => {
      const isOn = given?.PointInTimeRecoveryEnabled === true;
      table.recoverableFromMs = isOn ? (table.recoverableFromMs ?? state.nowMs) : undefined;
      table.recoveryDays = given?.RecoveryPeriodInDays ?? table.recoveryDays;
      return backups(state, table);
    },
  },

  DescribeContinuousBackups: {
    resourceOf: tableNamed,
    run: (state, _call, table) => backups(state, table),
  },

  TagResource: {
    resourceOf: byArn,
    run: (_state, { input: { Tags = [] } }, { tags }) => {
      tags.put(Tags);
    },
  },

  UntagResource: {
    resourceOf: byArn,
    run: (_state, { input: { TagKeys = [] } }, { tags }) => {
      tags.remove(TagKeys);
    },
  },

  ListTagsOfResource: {
    resourceOf: byArn,
    run: (_state, _call, { tags }) => ({ Tags: tags.list() }),
  },
} satisfies DynamoDbFamily<Table>;

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
