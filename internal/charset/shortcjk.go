package charset

import (
	"strings"
	"unicode"
)

// Frequent characters, in no order: what short texts are most likely to hold.
const (
	simplified  = "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市处特性南京上海北京姓名年龄地址合同甲乙双方签字生效价格数量单位日期金额备注产品公司员工部门项目编号说明文件系统管理数据信息测试报告内容标题欢迎谢请您销售客户订单总计"
	traditional = "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市處特性南嗎呢姓名年齡地址合約甲乙雙方簽字生效價格數量單位日期金額備註產品公司員工部門項目編號說明文件系統管理資料訊息測試報告內容標題歡迎謝請您臺灣台北香港"
	syllables   = "이다는에을의고하가지은를한로도사어자해기서리나대라인아시그들있전과일정것수부과보만조구제주여마스상성장우원유동게되문비신안세학었관공위면국화선명연생경소오미발통방무치실진중시내음분때말건없회요습니까녕식적간당데거든려러드든모바서울특별시한글계약양록의교육월년일금액이름주소번호품목단가수량합계날짜제목내용문서보고서회사직원영업감사합니다안녕하세요및또는각등급용물체결제약대한민국부산"
)

// hangul values Korean: frequent syllables far above the others.
func hangul(before, r, after rune) float64 {
	switch {
	case strings.ContainsRune(syllables, r):
		return 1.1
	case unicode.Is(unicode.Hangul, r):
		return .35
	case unicode.Is(unicode.Han, r):
		return 0
	}
	return wide(before, r, after)
}

// han values Chinese: frequent characters far above the others.
func han(frequent string) func(before, r, after rune) float64 {
	return func(before, r, after rune) float64 {
		switch {
		case strings.ContainsRune(frequent, r):
			return 1.1
		case unicode.Is(unicode.Han, r):
			return .45
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return .2
		}
		return wide(before, r, after)
	}
}

// japanese values kana, and kanji beside them.
func japanese(before, r, after rune) float64 {
	switch {
	case r >= 0xFF61 && r <= 0xFF9F: // half-width kana, which chance gives as well
		return -.2
	case unicode.In(r, unicode.Hiragana, unicode.Katakana), r == 'ー':
		return 1
	case strings.ContainsRune(simplified, r):
		return .7
	case unicode.Is(unicode.Han, r):
		return .3
	}
	return wide(before, r, after)
}

// wide values what East Asian texts hold beside their letters.
func wide(before, r, after rune) float64 {
	switch {
	case strings.ContainsRune("，。、：；？！（）「」『』《》“”‘’·・…　％￥", r):
		return .8
	case r >= 0xFF01 && r <= 0xFF5E:
		return .5
	}
	return min(sign(before, r, after), 0)
}
