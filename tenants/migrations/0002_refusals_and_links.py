"""The actor's name on audit rows, the count of refusals, and one-use sign-in links."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('tenants', '0001_people_and_audit'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditrow',
            name='actor_name',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='a_sign_in_name_is_lower_case'),
        ),
        migrations.CreateModel(
            name='RefusalCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('actor_kind', models.CharField(max_length=16)),
                ('actor_id', models.TextField(blank=True, default='')),
                ('verb', models.CharField(max_length=64)),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('attempts', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'actor_kind', 'actor_id', 'verb'), name='refusals_of_one_actor_are_counted_once', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='SignInLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.BinaryField(unique=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
            ],
        ),
    ]
