import { nameInArn } from '../../../policy/arn';
import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import { isNameFree, type PutResource, type ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import { muteRuleArn } from '../actions/mute-rules';
import { MuteRule } from '../alarms/mute-rule';
import type { CloudWatch } from '../cloud-watch';

const MAX_NAME_LENGTH = 255;
const TYPE = 'AWS::CloudWatch::AlarmMuteRule';

/** A local time of the schedule's time zone. */
function dateProperty(properties: PropertyReader, name: string, timezone: string | undefined): Date | undefined {
  const text = properties.string(name);
  if (text === undefined) return undefined;
  const instantMs = MuteRule.instantIn(text, timezone);
  if (instantMs === undefined)
    return properties.problem(name, 'must be a date and time such as 2026-01-02T03:04', text);
  return new Date(instantMs);
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarmmuterule.html */
export const alarmMuteRuleResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const name = properties.string('Name') ?? context.physicalName(MAX_NAME_LENGTH);
    const rule = properties.object('Rule') ?? properties.problem('Rule', 'is required');
    const schedule = rule && (rule.object('Schedule') ?? rule.problem('Schedule', 'is required'));
    const timezone = schedule?.string('Timezone');
    const input = {
      Name: name,
      Description: properties.string('Description'),
      Rule: {
        Schedule: {
          Expression: schedule?.requiredString('Expression'),
          Duration: schedule?.requiredString('Duration'),
          Timezone: timezone,
        },
      },
      MuteTargets: { AlarmNames: [...(properties.object('MuteTargets')?.strings('AlarmNames') ?? [])] },
      StartDate: dateProperty(properties, 'StartDate', timezone),
      ExpireDate: dateProperty(properties, 'ExpireDate', timezone),
      Tags: tagsProperty(properties),
    };
    isNameFree(
      properties,
      { type: TYPE, property: 'Name', identifier: name },
      !existing && cloudWatch.hasMuteRule(name),
    );
    if (properties.allProblems().length === 0) {
      properties.attempt('Rule', () => cloudWatch.call('PutAlarmMuteRule', cloudWatch.owner, input));
    }
    const arn = muteRuleArn(place, name);
    return { ref: arn, attributes: { Arn: arn } };
  };
  return {
    type: TYPE,
    create: put,
    update: put,
    delete: ({ ref }) => {
      const AlarmMuteRuleName = nameInArn(ref);
      cloudWatch.call('DeleteAlarmMuteRule', cloudWatch.owner, { AlarmMuteRuleName });
    },
  };
};
