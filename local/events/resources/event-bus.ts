import type { ResourceType } from '../../cloudformation/resource-type';
import { tagsProperty } from '../../cloudformation/tags-property';
import { policyProperty } from '../../policy-document';
import type { EventBridge } from '../event-bridge';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-eventbus.html */
export function eventBusResourceType(events: EventBridge): ResourceType {
  return {
    type: 'AWS::Events::EventBus',
    create: properties => {
      const Name = properties.requiredString('Name');
      const policy = policyProperty(properties, 'Policy', 'resource');
      const deadLetters = properties.object('DeadLetterConfig');
      const bus = {
        Name,
        Description: properties.string('Description'),
        Tags: tagsProperty(properties),
        ...(deadLetters && { DeadLetterConfig: { Arn: deadLetters.string('Arn') } }),
      };
      const Policy = policy && JSON.stringify(policy);
      const attributes = { Name, Arn: '', ...(Policy !== undefined && { Policy }) };
      if (properties.allProblems().length > 0) return { ref: Name, attributes };
      const created = properties.attempt('Name', () => events.call('CreateEventBus', events.owner, bus));
      if (created && Policy !== undefined) {
        properties.attempt('Policy', () => events.call('PutPermission', events.owner, { EventBusName: Name, Policy }));
      }
      return { ref: Name, attributes: { ...attributes, Arn: created?.EventBusArn ?? '' } };
    },
  };
}
