"""Defines a stack with the constructs as Python has them, synthesizes it into the folder it is given, and looks at what
came out. `npm run check:python` runs it; it prints a line for each thing that is as it should be."""

import json
import sys
from pathlib import Path

from aws_cdk import App, CfnOutput, Duration, Stack, aws_lambda as lambda_, aws_sqs as sqs
from dead_letter_office import DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue

ROWS = []


def row(check):
    """Marks a function of the template as one of the checks, in the order they stand here."""
    ROWS.append(check)
    return check


class Orders(Stack):
    """Orders, fanned out to a queue, a function and a partner."""

    def __init__(self, scope, construct_id):
        super().__init__(scope, construct_id)
        ops = OpsTopic(self, "Ops", email="ops@example.com")
        orders = DurableTopic(self, "OrdersTopic", alarm_actions=[ops])
        fulfilment = ProcessingQueue(self, "Fulfilment", max_receive_count=3, alarm_actions=[ops])
        billing = lambda_.Function(
            self,
            "Billing",
            runtime=lambda_.Runtime.NODEJS_22_X,
            handler="index.handler",
            code=lambda_.Code.from_inline("exports.handler = async () => { throw new Error('no billing today'); };"),
        )
        failures = FunctionFailures(
            self, "BillingFailures", handler=billing, max_event_age=Duration.hours(1), alarm_actions=[ops]
        )
        to_queue = orders.deliver_to_queue("ToFulfilment", fulfilment, raw_message_delivery=True)
        orders.deliver_to_function("ToBilling", billing)
        orders.deliver_to_endpoint("ToPartner", "https://partner.example.com/orders")
        assert isinstance(to_queue.dead_letter_queue, sqs.Queue)
        CfnOutput(self, "OrdersArn", value=orders.topic_arn)
        CfnOutput(self, "FulfilmentUrl", value=fulfilment.queue_url)
        CfnOutput(self, "BillingDeadLettersUrl", value=failures.dead_letter_queue.queue_url)


def of_type(template, resource_type):
    """The properties of each resource of a type."""
    resources = template["Resources"].values()
    return [it.get("Properties", {}) for it in resources if it["Type"] == resource_type]


def template_properties(template):
    """The properties of every resource."""
    return [it.get("Properties", {}) for it in template["Resources"].values()]


@row
def every_delivery_has_a_dead_letter_queue(template):
    deliveries = [it for it in of_type(template, "AWS::SNS::Subscription") if it["Protocol"] != "email"]
    assert sorted(it["Protocol"] for it in deliveries) == ["https", "lambda", "sqs"]
    targets = {it["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0] for it in deliveries}
    assert len(targets) == 3


@row
def what_the_queue_and_the_function_fail_on_is_kept(template):
    redriven = [it["RedrivePolicy"] for it in of_type(template, "AWS::SQS::Queue") if "RedrivePolicy" in it]
    assert [it["maxReceiveCount"] for it in redriven] == [3]
    assert all("TargetArn" in it["DeadLetterConfig"] for it in of_type(template, "AWS::Lambda::Function"))
    assert [it["MaximumEventAgeInSeconds"] for it in of_type(template, "AWS::Lambda::EventInvokeConfig")] == [3600]


@row
def alarms_watch_every_dead_letter_queue_and_tell_the_ops_topic(template):
    redrives = [it.get("RedrivePolicy") for it in template_properties(template) if it.get("RedrivePolicy")]
    dead_letter_queues = {it["deadLetterTargetArn"]["Fn::GetAtt"][0] for it in redrives}
    alarms = [it for it in of_type(template, "AWS::CloudWatch::Alarm") if it.get("AlarmActions")]
    read = alarms + [part["MetricStat"]["Metric"] for it in alarms for part in it.get("Metrics", []) if "MetricStat" in part]
    dimensions = [dimension["Value"] for it in read for dimension in it.get("Dimensions", [])]
    watched = {it["Fn::GetAtt"][0] for it in dimensions if "Fn::GetAtt" in it}
    assert len(dead_letter_queues) == 4 and dead_letter_queues <= watched, dead_letter_queues - watched
    metrics = {it["MetricName"] for it in read if "MetricName" in it}
    assert {"NumberOfMessagesSent", "NumberOfNotificationsRedrivenToDlq", "NumberOfNotificationsFailedToRedriveToDlq", "DeadLetterErrors"} <= metrics, metrics


def what_aws_would_reject_is_an_error_in_python_too():
    try:
        ProcessingQueue(Stack(App(), "Bad"), "Queue", max_receive_count=1_001)
    except RuntimeError as error:
        assert "maxReceiveCount must be a whole number from 1 to 1,000, got 1001" in str(error), error
    else:
        raise AssertionError("a maxReceiveCount of 1,001 passed")


def say(check):
    print(f"ok  {check.__name__.replace('_', ' ')}")


outdir = sys.argv[1]
app = App(outdir=outdir, analytics_reporting=False)
Orders(app, "Orders")
app.synth()
synthesized = json.loads(Path(outdir, "Orders.template.json").read_text(encoding="utf-8"))
for check in ROWS:
    check(synthesized)
    say(check)
what_aws_would_reject_is_an_error_in_python_too()
say(what_aws_would_reject_is_an_error_in_python_too)
