import type { ResourceType } from '../../cloudformation/resource-type';
import { isNameFree } from '../../cloudformation/taken-name';
import type { Place } from '../../kernel/place';
import { alarmArn } from '../alarms/alarm-arn';
import type { CloudWatch } from '../cloud-watch';
import { alarmProperties } from './alarm-properties';

const MAX_COMPOSITE_NAME_LENGTH = 255;
const COMPOSITE_ALARM_TYPE = 'AWS::CloudWatch::CompositeAlarm';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-compositealarm.html */
export const compositeAlarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => ({
  type: COMPOSITE_ALARM_TYPE,
  create(properties, context) {
    const alarmName = properties.string('AlarmName') ?? context.physicalName(MAX_COMPOSITE_NAME_LENGTH);
    const input = {
      AlarmName: alarmName,
      AlarmRule: properties.requiredString('AlarmRule'),
      ...alarmProperties(properties, place.region),
      ActionsSuppressor: properties.string('ActionsSuppressor'),
      ActionsSuppressorWaitPeriod: properties.number('ActionsSuppressorWaitPeriod'),
      ActionsSuppressorExtensionPeriod: properties.number('ActionsSuppressorExtensionPeriod'),
    };
    isNameFree(
      properties,
      { type: COMPOSITE_ALARM_TYPE, property: 'AlarmName', identifier: alarmName },
      cloudWatch.hasAlarm(alarmName),
    );
    if (properties.allProblems().length === 0) cloudWatch.call('PutCompositeAlarm', cloudWatch.owner, input);
    return { ref: alarmName, attributes: { Arn: alarmArn(place, alarmName) } };
  },
});
