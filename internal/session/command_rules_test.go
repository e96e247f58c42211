package session

import (
	"slices"
	"testing"
)

// commandRules are globs that people tie rules to, by the rule's name. They were written before the
// code that matches them, as were the command lines of commandLines.
var commandRules = map[string][]string{
	"databases.drop":     {"dropdb *"},
	"databases.restore":  {"pg_restore --clean*"},
	"databases.dump":     {"pg_dump -Fc*"},
	"databases.flush":    {"redis-cli flushall*"},
	"databases.migrate":  {"rails db:migrate*"},
	"databases.rollback": {"alembic downgrade*"},
	"databases.reset":    {"prisma migrate reset*"},
	"databases.mongo":    {"mongorestore --drop*"},
	"databases.volumes":  {"docker compose down -v*"},
	"mobile.release":     {"fastlane * release*"},
	"mobile.gradle":      {"gradlew publish*"},
	"mobile.uninstall":   {"adb uninstall*"},
	"mobile.pods":        {"pod install*"},
	"mobile.simulator":   {"xcrun simctl erase*"},
	"mobile.clean":       {"flutter clean*"},
	"data.notebook":      {"jupyter nbconvert --execute*"},
	"data.push":          {"dvc push*"},
	"data.submit":        {"sbatch *"},
	"data.environment":   {"conda env remove*"},
	"data.train":         {"python train.py*"},
	"data.copy":          {"aws s3 rm*"},
	"data.query":         {"bq query*"},
	"servers.restart":    {"systemctl restart nginx*"},
	"servers.remove":     {"rm -rf*"},
	"servers.packages":   {"apt upgrade*", "apt-get upgrade*"},
	"servers.sync":       {"rsync --delete*"},
	"servers.playbook":   {"ansible-playbook *prod*"},
	"servers.destroy":    {"terraform destroy*"},
	"servers.rollout":    {"kubectl rollout restart*"},
	"servers.firewall":   {"ufw allow*"},
}

// commandLines are command lines, each with the rules that a person would expect.
var commandLines = []struct {
	line string
	want []string
}{
	{"dropdb --if-exists -h localhost shop_test", []string{"databases.drop"}},
	{"sudo -u postgres dropdb shop", []string{"databases.drop"}},
	{"createdb shop && echo 'dropdb shop' >> notes.txt", nil},
	{"pg_restore -d shop --clean latest.dump", []string{"databases.restore"}},
	{"PGPASSWORD=x pg_restore --no-owner --clean -d shop latest.dump", []string{"databases.restore"}},
	{"pg_restore --list latest.dump", nil},
	{"pg_dump shop -Fc > shop.dump", []string{"databases.dump"}},
	{"pg_dump --schema-only shop | less", nil},
	{"redis-cli -h cache.internal -p 6380 flushall async", []string{"databases.flush"}},
	{"redis-cli get flushall", nil},
	{"bundle exec rails db:migrate RAILS_ENV=production", []string{"databases.migrate"}},
	{"bin/rails db:migrate:status", []string{"databases.migrate"}},
	{"poetry run alembic -c alembic.ini downgrade -1", []string{"databases.rollback"}},
	{"alembic upgrade head", nil},
	{"npx prisma migrate reset --force", []string{"databases.reset"}},
	{"npx prisma migrate dev --name reset", nil},
	{"mongorestore --uri=mongodb://db:27017 --drop dump/", []string{"databases.mongo"}},
	{"docker-compose -f compose.dev.yml down -v", []string{"databases.volumes"}},
	{"docker compose -p shop down --remove-orphans", nil},
	{"docker compose -p shop -f compose.yml down --remove-orphans -v", []string{"databases.volumes"}},
	{"cd ios && bundle exec fastlane ios release", []string{"mobile.release"}},
	{"fastlane ios beta", nil},
	{"./gradlew -q --no-daemon publishReleaseBundle", []string{"mobile.gradle"}},
	{"./gradlew assembleDebug -Ppublish=false", nil},
	{"adb -s emulator-5554 uninstall com.shop.app", []string{"mobile.uninstall"}},
	{"adb -s emulator-5554 install app.apk", nil},
	{"(cd ios; arch -x86_64 pod install --repo-update)", []string{"mobile.pods"}},
	{"pod repo update", nil},
	{"xcrun simctl erase all", []string{"mobile.simulator"}},
	{"xcrun --sdk iphoneos simctl erase booted", []string{"mobile.simulator"}},
	{"fvm flutter clean && fvm flutter pub get", []string{"mobile.clean"}},
	{"flutter --suppress-analytics clean", []string{"mobile.clean"}},
	{"jupyter nbconvert report.ipynb --to html --execute", []string{"data.notebook"}},
	{"jupyter nbconvert --to script report.ipynb", nil},
	{"dvc -q push -r storage", []string{"data.push"}},
	{"dvc pull -j 8 && git commit -m 'dvc push later'", nil},
	{"sbatch --gres=gpu:4 train.sh", []string{"data.submit"}},
	{"squeue -u ada", nil},
	{"conda env remove -n shop", []string{"data.environment"}},
	{"conda remove -n shop numpy", nil},
	{"CUDA_VISIBLE_DEVICES=0 nohup python -u train.py --epochs 50 > log 2>&1 &", []string{"data.train"}},
	{"uv run python train.py", []string{"data.train"}},
	{"python -m pytest tests/test_train.py", nil},
	{"aws --profile lab s3 rm --recursive s3://bucket/raw", []string{"data.copy"}},
	{"aws s3 ls s3://bucket/rm", nil},
	{"bq --project_id=lab query --use_legacy_sql=false 'select 1'", []string{"data.query"}},
	{"systemctl --no-block restart nginx", []string{"servers.restart"}},
	{"ssh -p 2222 web1 'sudo systemctl restart nginx'", []string{"servers.restart"}},
	{"systemctl status nginx", nil},
	{"rm -r -f /var/cache/shop", []string{"servers.remove"}},
	{"find . -name '*.tmp' -exec rm -fr {} +", []string{"servers.remove"}},
	{"rm -r build && rm -f core", nil},
	{"apt-get -y -o Dpkg::Options::=--force-confold upgrade", []string{"servers.packages"}},
	{"rsync -az --delete build/ web1:/srv/www", []string{"servers.sync"}},
	{"ansible-playbook site.yml -i inventories/prod --check", []string{"servers.playbook"}},
	{"terraform -chdir=infra apply -auto-approve -destroy", []string{"servers.destroy"}},
	{"terraform apply plan.out", nil},
	{"kubectl rollout -n web restart deploy/api", []string{"servers.rollout"}},
	{"kubectl --context staging rollout status deploy/api", nil},
	{"sudo ufw --dry-run allow 22/tcp", []string{"servers.firewall"}},
}

func TestCommandRulesReachTheirCommands(t *testing.T) {
	if len(commandRules) < 30 || len(commandLines) < 60 {
		t.Fatalf("%d rules and %d command lines", len(commandRules), len(commandLines))
	}
	right, missed, wrong := 0, 0, 0
	for _, tt := range commandLines {
		found := commandsOf(tt.line, false)
		for name, globs := range commandRules {
			got := slices.ContainsFunc(found, func(c Command) bool { return MatchesCommand(globs, c) })
			switch want := slices.Contains(tt.want, name); {
			case got && want:
				right++
			case want:
				missed++
				t.Logf("%s misses %q", name, tt.line)
			case got:
				wrong++
				t.Logf("%s matches %q", name, tt.line)
			}
		}
	}
	t.Logf("%d right, %d missed, %d wrong", right, missed, wrong)
	if right*100 < 95*(right+missed) || right*100 < 95*(right+wrong) {
		t.Errorf("%d right, %d missed and %d wrong: precision and recall are below 95%%", right, missed, wrong)
	}
}
