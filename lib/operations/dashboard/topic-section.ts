import { Color, type IAlarm, type IWidget, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnSubscription, type ITopic, Subscription, type TopicBase } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { statusLogGroups } from '../../../policy/messages/status-log-groups';
import { RunbookSection } from '../../shared/alarms/runbook-section';
import type { DeliveryStatusLogging } from '../../topic/delivery-status-logging';
import { WHY_DELIVERIES_FAIL } from '../../topic/status-logging/status-queries';
import { failedToRedrive, filteredForNoJson, redriven } from '../../topic/topic-metrics';
import type { DashboardSection } from '../i-watched';
import { band, GRID_WIDTH, type Graph } from './band';
import { placeOf, sum } from './shown-metrics';

/** A topic, with what watches it. */
type ShownTopic = TopicBase & { readonly alarms: IAlarm[] };

/** What is shown of a topic: what goes through it, what dies, and why. */
function topicRows(topic: ShownTopic, deliveryStatus: DeliveryStatusLogging | undefined): IWidget[][] {
  const name = topic.topicName;
  const place = placeOf(topic);
  const counted = (label: string, color?: string) => ({ ...sum(label, color), ...place });
  const through: Graph = {
    title: `${name}: published and delivered`,
    left: [
      topic.metricNumberOfMessagesPublished(counted('published')),
      topic.metricNumberOfNotificationsDelivered(counted('delivered', Color.GREEN)),
      topic.metricNumberOfNotificationsFilteredOut(counted('filtered out', Color.GREY)),
    ],
  };
  const dying: Graph = {
    title: `${name}: failed and dead`,
    left: [
      topic.metricNumberOfNotificationsFailed(counted('failed', Color.ORANGE)),
      redriven(topic, counted('to a dead-letter queue', Color.PURPLE)),
      failedToRedrive(topic, counted('lost', Color.RED)),
      topic.metricNumberOfNotificationsFilteredOutInvalidAttributes(
        counted('filtered out for malformed attributes', Color.BROWN),
      ),
      filteredForNoJson(topic, counted('filtered out for a malformed body', Color.PINK)),
    ],
  };
  return [band(name, topic.alarms, [through, dying]), ...(deliveryStatus ? [whyRow(topic)] : [])];
}

/** Where delivery status is logged, the answers of those who could not be delivered to. */
function whyRow({ env: { region, account }, topicName: name }: ShownTopic): IWidget[] {
  const widget = new LogQueryWidget({
    title: `${name}: why deliveries fail`,
    logGroupNames: [statusLogGroups({ region, account, name }).failure],
    region,
    queryLines: [...WHY_DELIVERIES_FAIL],
    width: GRID_WIDTH,
    height: 6,
  });
  return [widget];
}

/**
 * What a dashboard shows of a topic.
 * @param deliveryStatus where SNS logs what becomes of deliveries, if it does so for this app
 */
export function topicSection(topic: ShownTopic, deliveryStatus?: DeliveryStatusLogging): DashboardSection {
  return {
    title: 'Topics',
    rows: topicRows(topic, deliveryStatus),
    runbookSections: [
      RunbookSection.DEAD_LETTERS_LOST,
      RunbookSection.MESSAGES_NOT_KEPT,
      RunbookSection.TOPIC_LOSES_MESSAGES,
      RunbookSection.DELIVERIES_FAILING,
    ],
    lost: [failedToRedrive(topic, { label: topic.topicName, ...placeOf(topic) })],
  };
}

/** The dead-letter queues of all that is subscribed to a topic, by whatever stack and method. */
export function deadLetterQueuesOf(topic: ITopic): IQueue[] {
  return topic.node.root.node.findAll().flatMap(construct => {
    if (!(construct instanceof Subscription) || !construct.deadLetterQueue) return [];
    const resource = construct.node.defaultChild;
    return resource instanceof CfnSubscription && resource.topicArn === topic.topicArn
      ? [construct.deadLetterQueue]
      : [];
  });
}
