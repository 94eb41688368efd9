import type { AlarmMuteRuleStatus } from '@aws-sdk/client-cloudwatch';
import { formatArn } from '../../../policy/arn';
import type { Place } from '../../kernel/place';
import type { Resource } from '../../kernel/service-api';
import { MuteRule, readMuteSchedule } from '../alarms/mute-rule';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints, cloudWatchPage, muteRuleNotFound, validationError } from '../errors';
import type { CloudWatchFamily } from './cloud-watch-action';

const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 1_024;
const MOST_ALARMS = 100;

export function muteRuleArn({ partition, region, account }: Place, name: string): string {
  return formatArn({ partition, service: 'cloudwatch', region, account, resource: `alarm-mute-rule:${name}` });
}

function ruleNamed(
  { context }: CloudWatchState,
  { Name, AlarmMuteRuleName = Name ?? '*' }: { readonly Name?: string; readonly AlarmMuteRuleName?: string },
): Resource {
  return { arn: muteRuleArn(context.place, AlarmMuteRuleName) };
}

export const muteRuleActions = {
  /** **Assumption CW-22:** The texts of the errors for a schedule that CloudWatch refuses. AWS publishes the rules. */
  PutAlarmMuteRule: {
    resourceOf: (state, { Name = '*' }) => ruleNamed(state, { Name }),
    run: (state, { input }) => {
      const { Name: name = '', Description: description, Rule, MuteTargets, StartDate, ExpireDate, Tags } = input;
      const { Expression: expression, Duration: duration, Timezone: timezone } = Rule?.Schedule ?? {};
      const { AlarmNames: alarmNames = [] } = MuteTargets ?? {};
      new Constraints()
        .notNull('name', input.Name)
        .length('name', name, 1, LONGEST_NAME)
        .length('description', description, 0, LONGEST_DESCRIPTION)
        .notNull('rule.schedule.expression', expression)
        .notNull('rule.schedule.duration', duration)
        .length('muteTargets.alarmNames', alarmNames, 0, MOST_ALARMS)
        .check();
      const schedule = { expression: expression ?? '', duration: duration ?? '', timezone };
      const reading = readMuteSchedule(schedule);
      if (reading.kind === 'problem') throw validationError(`rule.schedule.${reading.member} ${reading.rule}`);
      const arn = muteRuleArn(state.context.place, name);
      if (Tags && !state.muted.find(name)) state.tags.add(arn, Tags);
      state.muted.put(
        new MuteRule(
          {
            name,
            arn,
            description,
            schedule,
            alarmNames,
            startMs: StartDate?.getTime(),
            expireMs: ExpireDate?.getTime(),
            updatedAtMs: state.context.timeline.nowMs,
          },
          reading,
        ),
      );
      return {};
    },
  },

  DeleteAlarmMuteRule: {
    resourceOf: (state, { AlarmMuteRuleName = '*' }) => ruleNamed(state, { AlarmMuteRuleName }),
    run: ({ muted, tags, context }, { input: { AlarmMuteRuleName: name } }) => {
      new Constraints().notNull('alarmMuteRuleName', name).check();
      muted.delete(name ?? '');
      tags.forget(muteRuleArn(context.place, name ?? ''));
      return {};
    },
  },

  GetAlarmMuteRule: {
    resourceOf: (state, { AlarmMuteRuleName = '*' }) => ruleNamed(state, { AlarmMuteRuleName }),
    run: ({ muted, context }, { input: { AlarmMuteRuleName = '' } }) => {
      const rule = muted.find(AlarmMuteRuleName);
      if (!rule) throw muteRuleNotFound(AlarmMuteRuleName);
      const { name, description, schedule, alarmNames, startMs } = rule.configuration;
      const { expression, duration, timezone } = schedule;
      return {
        Name: name,
        Description: description,
        Rule: { Schedule: { Expression: expression, Duration: duration, Timezone: timezone } },
        MuteTargets: { AlarmNames: [...alarmNames] },
        ...(startMs !== undefined && { StartDate: new Date(startMs) }),
        ...summaryOf(rule, context.timeline.nowMs),
      };
    },
  },

  ListAlarmMuteRules: {
    resourceOf: state => ruleNamed(state, {}),
    run: ({ muted, context }, { input: { AlarmName, Statuses, MaxRecords, NextToken } }) => {
      const { nowMs } = context.timeline;
      const found = muted.all.filter(
        rule =>
          (AlarmName === undefined || rule.configuration.alarmNames.includes(AlarmName)) &&
          (Statuses === undefined || Statuses.length === 0 || Statuses.includes(rule.status(nowMs))),
      );
      const { items, nextToken } = cloudWatchPage(found, MaxRecords, NextToken);
      return { AlarmMuteRuleSummaries: items.map(rule => summaryOf(rule, nowMs)), NextToken: nextToken };
    },
  },
} satisfies CloudWatchFamily;

function summaryOf(rule: MuteRule, nowMs: number) {
  const { arn, updatedAtMs, expireMs } = rule.configuration;
  const status: AlarmMuteRuleStatus = rule.status(nowMs);
  return {
    AlarmMuteRuleArn: arn,
    Status: status,
    MuteType: rule.isOneTime ? 'ONE_TIME' : 'RECURRING',
    LastUpdatedTimestamp: new Date(updatedAtMs),
    ...(expireMs !== undefined && { ExpireDate: new Date(expireMs) }),
  };
}
