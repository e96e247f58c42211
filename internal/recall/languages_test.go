package recall

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/recall/index"
)

// asked are memories in nine languages, each with a question in other forms of its words.
var asked = []struct{ language, fact, question string }{
	{"Spanish", "El despliegue se hace los viernes y lo revisa Marta", "¿cuándo se hacen los despliegues?"},
	{"Spanish", "Las pruebas de integración necesitan una base de datos local", "qué hace falta para la prueba integrada"},
	{"Spanish", "Los reintentos del cliente están limitados a tres", "cuántas veces reintenta el cliente"},
	{"Spanish", "El servidor de correo se reinicia cada noche por la fuga de memoria", "reinicios del servidor"},
	{"Spanish", "Las facturas antiguas no se borran, se archivan en el almacén frío", "dónde archivamos la factura antigua"},
	{"French", "Les déploiements se font le vendredi avec Claire", "quand déployer, et avec qui ?"},
	{"French", "Le serveur de courrier redémarre chaque nuit pour libérer la mémoire", "redémarrage du serveur"},
	{"French", "Les factures anciennes ne sont jamais supprimées mais archivées", "archiver une facture ancienne"},
	{"French", "Il faut une base locale pour lancer les tests d'intégration", "comment lancer un test intégré"},
	{"French", "La traduction des messages est dans le dossier des ressources", "où sont les traductions"},
	{"Portuguese", "As implantações são feitas na sexta pela Joana", "quando fazemos a implantação"},
	{"Portuguese", "O servidor de e-mail reinicia toda noite por causa da memória", "servidores reiniciando"},
	{"Portuguese", "As notas antigas não são apagadas, ficam no arquivo morto", "apagar nota antiga"},
	{"Portuguese", "Os testes de integração precisam de um banco local", "o que o teste precisa"},
	{"Portuguese", "A tradução das mensagens fica na pasta de recursos", "onde ficam as traduções"},
	{"German", "Die Datenbankverbindung wird nach zehn Minuten getrennt", "Wann trennt sich die Datenbank?"},
	{"German", "Der Mailserver wird jede Nacht wegen des Speicherlecks neu gestartet", "Warum hat der Server ein Leck im Speicher?"},
	{"German", "Alte Rechnungen werden nicht gelöscht, sondern im Kaltlager abgelegt", "wo liegt eine alte Rechnung"},
	{"German", "Für die Integrationstests ist eine lokale Datenbank nötig", "Was braucht der Test der Integration?"},
	{"German", "Die Übersetzung der Meldungen ist im Ordner Ressourcen", "Wo sind die Übersetzungen?"},
	{"Russian", "Развёртывание делаем по пятницам, проверяет Ольга", "когда делать развёртывания"},
	{"Russian", "Почтовый сервер перезапускается каждую ночь из-за утечки памяти", "перезапуск почтового сервера"},
	{"Russian", "Старые счета не удаляем, а переносим в архив", "куда перенести старый счёт"},
	{"Russian", "Интеграционным тестам нужна локальная база данных", "что нужно для интеграционного теста"},
	{"Russian", "Переводы сообщений лежат в папке ресурсов", "где лежит перевод сообщения"},
	{"Chinese", "部署在每周五进行，由李雷检查", "什么时候部署"},
	{"Chinese", "邮件服务器每晚因为内存泄漏而重启", "为什么重启服务器"},
	{"Chinese", "旧发票不删除，移到冷存储", "旧发票放在哪里"},
	{"Chinese", "集成测试需要本地Postgres数据库", "测试要什么Postgres"},
	{"Chinese", "消息的翻译在resources文件夹", "翻译在哪个文件夹"},
	{"Japanese", "デプロイは毎週金曜日に行い、田中さんが確認する", "デプロイはいつ行う"},
	{"Japanese", "メールサーバーはメモリリークのため毎晩再起動する", "なぜサーバーを再起動するのか"},
	{"Japanese", "古い請求書は削除せず、アーカイブに移す", "古い請求書はどこに移す"},
	{"Japanese", "統合テストにはローカルのPostgresが必要", "テストに必要なもの"},
	{"Japanese", "メッセージの翻訳はresourcesフォルダーにある", "翻訳のフォルダー"},
	{"Thai", "การปรับใช้ระบบทำทุกวันศุกร์โดยสมชาย", "ปรับใช้ระบบวันไหน"},
	{"Thai", "เซิร์ฟเวอร์อีเมลรีสตาร์ททุกคืนเพราะหน่วยความจำรั่ว", "ทำไมเซิร์ฟเวอร์รีสตาร์ท"},
	{"Thai", "ใบแจ้งหนี้เก่าไม่ลบแต่ย้ายไปที่เก็บถาวร", "ย้ายใบแจ้งหนี้เก่าไปไหน"},
	{"Turkish", "Dağıtım her cuma yapılır ve Ayşe kontrol eder", "DAĞITIM ne zaman"},
	{"Turkish", "Eski faturalar silinmez, arşive taşınır", "Arsive tasinir mi eski faturalar"},
}

// TestOtherLanguagesAreFound asks for each memory among all of them. Some have no word of their memory in a form
// that a stem knows.
func TestOtherLanguagesAreFound(t *testing.T) {
	var docs []index.Doc
	for i, a := range asked {
		id := fmt.Sprint("f", i)
		docs = append(docs, index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id + ".md", Conversation: "project", Time: day("2024-01-01"), Text: a.fact})
	}
	x := indexOf(t, docs)
	first, five, of := map[string]int{}, map[string]int{}, map[string]int{}
	for i, a := range asked {
		got := ids(t, x, Query{Text: a.question, MaxHits: 5})
		at := slices.Index(got, fmt.Sprint("f", i))
		of[a.language]++
		if at == 0 {
			first[a.language]++
		}
		if at >= 0 {
			five[a.language]++
		} else {
			t.Logf("%s: %q misses %q", a.language, a.question, a.fact)
		}
	}
	all := [3]int{}
	for language, n := range of {
		t.Logf("%s: of %d first %d, in five %d", language, n, first[language], five[language])
		all[0], all[1], all[2] = all[0]+n, all[1]+first[language], all[2]+five[language]
	}
	if t.Logf("all: %v", all); all[1] < all[0]*4/5 || all[2] < all[0]*9/10 {
		t.Errorf("of %d questions %d find their memory first, and %d in five", all[0], all[1], all[2])
	}
}
