"""Notifications and how people want them, and users that are no people."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0005_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(max_length=16)),
                ('kind', models.CharField(max_length=32)),
                ('subject', models.TextField()),
                ('path', models.TextField()),
                ('text', models.TextField()),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('not_before', models.DateTimeField()),
                ('state', models.CharField(db_default='waiting', default='waiting', max_length=16)),
                ('sent_at', models.DateTimeField(null=True)),
                ('tries', models.IntegerField(db_default=0, default=0)),
                ('error', models.TextField(blank=True, db_default='', default='')),
            ],
        ),
        migrations.CreateModel(
            name='NotificationChoice',
            fields=[
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('by_mail', models.BooleanField(default=True)),
                ('webhook_url', models.TextField(blank=True, default='')),
                ('digest', models.CharField(default='at_once', max_length=16)),
                ('quiet_from', models.TimeField(null=True)),
                ('quiet_until', models.TimeField(null=True)),
                ('zone', models.CharField(default='UTC', max_length=64)),
            ],
        ),
        migrations.AddField(
            model_name='user',
            name='kind',
            field=models.CharField(db_default='person', default='person', max_length=16),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'person'), models.Q(('kind', 'service'), ('password__startswith', '!')), _connector='OR'), name='a_service_user_has_no_password'),
        ),
        migrations.AddField(
            model_name='notification',
            name='person',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='notification',
            name='tenant',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddConstraint(
            model_name='notificationchoice',
            constraint=models.CheckConstraint(condition=models.Q(('digest__in', ['at_once', 'hourly', 'daily'])), name='digest_is_known'),
        ),
        migrations.AddConstraint(
            model_name='notificationchoice',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('quiet_from', None), ('quiet_until', None)), models.Q(('quiet_from__isnull', False), ('quiet_until__isnull', False)), _connector='OR'), name='quiet_hours_begin_and_end'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['not_before'], name='notifications_due'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(fields=['subject'], name='notifications_by_subject'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(fields=['person', '-id'], name='notifications_of_person_newest'),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(condition=models.Q(('state', 'failed')), fields=['-id'], name='notifications_failed_newest'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.UniqueConstraint(fields=('person', 'channel', 'kind', 'subject'), name='a_person_is_told_once_per_channel_and_matter'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.CheckConstraint(condition=models.Q(('channel__in', ['mail', 'webhook'])), name='channel_is_known'),
        ),
        migrations.AddConstraint(
            model_name='notification',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(('sent_at', None), ('state__in', ['waiting', 'failed', 'dropped'])), _connector='OR'), name='a_notification_is_sent_iff_it_has_a_time'),
        ),
    ]
